import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { decimal, isKnown, percent, signed, signedPercent, whole } from '../../rows/figures.js';
import type { Finding, Subject, Words } from '../../rows/findings/finding.js';
import { type Name, type Sentence, say } from '../../rows/findings/sentence.js';
import { clock, day } from '../../rows/times.js';
import { capital, listed } from '../../rows/words.js';
import { type CodedReason, type NoVerdictCause, RUNGS, type Rung } from '../verdict.js';
import type { TestFigures } from './test-findings.js';
import { testVerdict } from './test-words.js';

/** A difference with its limits. */
interface Interval {
  value: number;
  lower: number;
  upper: number;
}

/** Figures of why there is no verdict, beside since when. */
interface FiguresByReason {
  young: { why: number };
  few_users: { users: number };
  few_rewards: { rewards: number };
  stale: Since;
  unsettled: Since;
  draw_mixed: { same: number; expected: number };
  draw_turns: { same: number; expected: number };
  names_differ: { missing: number; other: number };
  shares_off: { served: number; stated: number; isByUser?: number };
  unbalanced: { more: number };
  unlike_before: { more: number };
  mixed_users: { own: number; all: number };
  shares_off_within: { served: number; stated: number };
  split_changed: { day: number };
  lists_cut: { share: number; other: number };
  late_turns: { with: number; without: number };
  placebo_off: { more: number };
  requests_lost: { complete: number };
  no_rewards: Since;
  one_user: Since;
  lists_lack: { share: number };
  lists_follow_arm: Since;
  examination_unsure: Since;
  arm_off: { off: number };
  arms_disagree: { z: number };
  clicks_stop: { ratio: number };
  few_pairs: { pairs: number };
  weights_off: { mean: number };
  one_row: { share: number };
  loggers_differ: Since;
  no_lists: Since;
  sampled_out: Since;
  unnamed: Since;
  all_caused: { caused: number };
  one_served: Since;
  not_trusted: { deviation: number };
  rows_lack: { share: number; other: number };
  rows_differ: Since;
  mix_turns: { within: number; values: number; isEverywhere: number; hasMore: number };
  mix_unclear: { within: number; values: number; isEverywhere: number; hasMore: number };
  not_corrected: Since;
  unpredicted: Since;
}

interface Since {
  readonly since: number;
}

type FiguresOfReasons = {
  [Reason in CodedReason as `verdict_${Reason}`]: FiguresByReason[Reason] & Since;
};

/** What a finding says of why there is no verdict. */
type NoVerdict<Cause extends NoVerdictCause> = Pick<Finding, 'subject' | 'names'> & {
  readonly figures: FiguresByReason[Cause] & Since;
};

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode extends FiguresOfReasons {
    verdict_none: Since;
    verdict_prefer: Interval &
      Since & {
        at: number;
        isSingleLook: number;
        rung: number;
        isSharper: number;
        isIfChance: number;
        above: number;
      } & Partial<TestFigures>;
    verdict_leads: Interval & Since & { isSingleLook: number; repeated: number; common: number };
    verdict_probably: Interval & Since & { listed: number; isShown: number };
    verdict_probably_not: Since & { upper: number };
    verdict_unknown: Interval & Since & { covered: number };
    verdict_no_preference: Interval & Since;
    verdict_changed: Interval & Since & { lastDay: number } & Partial<TestFigures>;
    verdict_more_users: Interval & Since & { days: number; users: number };
    verdict_never: Interval & Since;
    verdict_open: Interval & Since & Partial<TestFigures>;
    verdict_unclear: Interval &
      Since & { rung: number; isSharper: number; common: number } & Partial<TestFigures>;
    verdict_flips: Since & { gamma: number };
    verdict_immaterial: Interval & Since & { margin: number } & Partial<TestFigures>;
    verdict_same: Since;
  }
}

const DIGITS = 3;
/** A verdict takes a day at least, ms. */
const DAY_MS = 86_400_000;
/** Effective users, and rewards, that a verdict takes. */
const FEW = 30;
/** Pairs of clicks that are to be expected where one asks whether users stop at a click. */
const LEAST_PAIRS = 20;

/** Names of the pair, the better one first where there is one, and what they are measured by. */
function pairOf({ models = [], metrics = [], rows }: Subject): {
  readonly a: Name;
  readonly b: Name;
  readonly metric: string;
} {
  const name = metrics[0] === 'value' ? 'reward per request' : (metrics[0] ?? '');
  const metric = rows === 'uncaused' ? `${name} on organic interactions` : name;
  return { a: { name: models[0] }, b: { name: models[1] }, metric };
}

function measured(
  metric: string,
  { value, lower, upper }: { value: number; lower: number; upper: number },
): string {
  return `${signed(value, DIGITS)} ${metric} (${limits(lower, upper)})`;
}

function all({ models = [] }: Subject): Sentence {
  return listed([...models].sort().map((name): Name => ({ name })));
}

function sinceWhen(ms: number): string {
  return `since ${day(ms)}`;
}

/** Three or more of a kind are a thousand and not 1,034. */
function rounded(count: number): string {
  return whole(Number(count.toPrecision(count < 100 ? 1 : 2)));
}

function correctedFor(metric: string): string {
  const [name] = metric.split(/[@ ]/);
  return isRatingMetric(name) ? ', corrected for who rates what' : ', corrected for popularity';
}

/** What is earned, with its limits: `+0.12 reward per request (95 % CI +0.05 to +0.19)`, or a metric. */
function gain(subject: Subject, figures: Interval): string {
  const { value, lower, upper } = figures;
  const { metric } = pairOf(subject);
  if (subject.metrics?.[0] === 'value') {
    return `${signed(value, DIGITS)} reward per request (${limits(lower, upper)})`;
  }
  return measured(metric, figures);
}

function limits(lower: number, upper: number): string {
  return `95\u00a0% CI ${signed(lower, DIGITS)} to ${signed(upper, DIGITS)}`;
}

/** Weaker evidence that is clear and says the opposite. */
function opposite({ reason }: Pick<Finding, 'reason'>): string {
  return reason === undefined ? '' : ` ${capital(reason)} says the opposite.`;
}

/** `, but not in device desktop`, of dimensions and values by turns. */
function exceptIn(names: readonly string[] = []): Sentence {
  const values = names.filter((_, n) => n % 2 === 1);
  if (values.length === 0) return say``;
  const segments = values.map((name, s) => say`${names[2 * s]} ${{ name }}`);
  return say`, but not in ${listed(segments).flat()}`;
}

/** What a comparison rests on, in a few words. */
const GROUNDS: Readonly<Record<Rung, string>> = {
  experiment: 'from the A/B test',
  propensities: 'from logged propensities of whole lists',
  arms: 'if users examine each position on its own',
  slots: 'from logged propensities of positions, which speak for a model and never against it',
  randomized: 'from randomised traffic',
  metric: 'by one look at this window',
  observed: 'from what was served, without randomisation',
};

/** `devices` of a dimension that is called device. */
function plural(dimension: string): string {
  if (/[^aeiou]y$/.test(dimension)) return `${dimension.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(dimension) ? `${dimension}es` : `${dimension}s`;
}

function no(subject: Subject, why: Sentence | string): Sentence {
  return say`No verdict on ${all(subject)}: ${why}`;
}

/** Why there is no verdict, by its cause, and what would lift it. */
const NO_VERDICT_WORDS: { readonly [Cause in NoVerdictCause]: (of: NoVerdict<Cause>) => Sentence } =
  {
    few_rewards: ({ subject, figures, names: [model] = [] }) => {
      const of = model === undefined ? say`` : say`the value of ${{ name: model }} rests on `;
      const rewards = whole(figures.rewards);
      return no(
        subject,
        say`${of}${rewards} effective rewards, and it takes ${whole(FEW)}. Wait for more.`,
      );
    },
    draw_mixed: ({ subject, figures }) =>
      no(
        subject,
        `a user’s next request has the same arm in ${percent(figures.same)}, not ${percent(figures.expected)} or all. Draw the arm for each request, or once for each user.`,
      ),
    draw_turns: ({ subject, figures }) =>
      no(
        subject,
        `users at the same time had the same arm in ${percent(figures.same)}, not ${percent(figures.expected)}. Draw the arm for each request, or once for each user.`,
      ),
    names_differ: ({ subject, figures, names: [model = '', other = ''] = [] }) =>
      no(
        subject,
        say`about ${percent(figures.missing)} of the clicks that lists of ${{ name: model }} led to do not name them, and ${percent(figures.other)} of those of ${{ name: other }}, which may turn it. Name the list in exposure with each click.`,
      ),
    shares_off: ({ subject, figures, names: [model = ''] = [] }) => {
      const { served, stated, isByUser } = figures;
      const ofUsers = isByUser === 1 ? ' of users' : '';
      const [a = '', b = '', ...others] = subject.models ?? [];
      const models = others.length > 0 ? all(subject) : say`${{ name: a }} vs ${{ name: b }}`;
      return say`No verdict on ${models}: sample ratio mismatch. ${{ name: model }} served ${percent(served, 1)}${ofUsers}; ${percent(stated, 1)} was configured. Fix the split or find the missing lists, then restart the test.`;
    },
    unbalanced: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`lists of all models predict ${signedPercent(figures.more)} reward for users who were shown ${{ name: model }}, compared with all users. Assign models at random.`,
      ),
    unlike_before: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`users who were shown ${{ name: model }} had done ${percent(Math.abs(figures.more))} ${figures.more < 0 ? 'less' : 'more'} before than all users. Assign models at random.`,
      ),
    mixed_users: ({ subject, figures, names: [model = '', dimension = '', value = ''] = [] }) =>
      no(
        subject,
        say`${percent(figures.own)} of the users who were shown ${{ name: model }} have ${{ name: dimension }} ${{ name: value }}, but ${percent(figures.all)} of all users. Assign models at random.`,
      ),
    shares_off_within: ({
      subject,
      figures,
      names: [model = '', dimension = '', value = ''] = [],
    }) =>
      no(
        subject,
        say`sample ratio mismatch within ${{ name: dimension }} ${{ name: value }}: ${{ name: model }} served ${percent(figures.served, 1)} of it, expected ${percent(figures.stated, 1)}. Fix the split or find the missing lists, then restart the test.`,
      ),
    split_changed: ({ subject, figures }) =>
      no(
        subject,
        `the split changed on day ${whole(figures.day)}. State the shares of each list in share, or restart the test with one split.`,
      ),
    lists_cut: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`lists of ${{ name: model }} are logged incompletely: ${percent(figures.share)} of the clicks that name one are on items it does not hold, against ${percent(figures.other)}. Log whole lists.`,
      ),
    late_turns: ({ subject, figures }) =>
      no(
        subject,
        `clicks after value.horizon turn the difference from ${signed(figures.without, 2)} to ${signed(figures.with, 2)} per list. Set a longer value.horizon.`,
      ),
    placebo_off: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`where lists do not differ, ${{ name: model }} earns ${decimal(Math.abs(figures.more), DIGITS)} ${figures.more < 0 ? 'less' : 'more'}. Assign models at random.`,
      ),
    requests_lost: ({ subject, figures }) =>
      no(
        subject,
        `${percent(figures.complete)} of the requests have the lists of all arms, or the propensities of what was shown, and 95\u00a0% have to. Log them all.`,
      ),
    no_rewards: ({ subject }) =>
      no(
        subject,
        'nothing that they showed was rewarded. Name the list in exposure with each click.',
      ),
    one_user: ({ subject }) => no(subject, 'all is of one user. Wait for more.'),
    lists_lack: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`${{ name: model }} has a list in ${percent(figures.share)} of the requests. Log its lists with all of them.`,
      ),
    lists_follow_arm: ({ subject, names: [model = ''] = [] }) =>
      no(
        subject,
        say`what is shown of the lists of ${{ name: model }} depends on the arm. Make all lists before the arm is drawn.`,
      ),
    examination_unsure: ({ subject }) =>
      no(
        subject,
        'it is not known well enough how likely users look at each place. It takes more requests, or some random lists.',
      ),
    arm_off: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`users do not look at each place on its own: ${{ name: model }}, valued by others’ requests, is off by ${signedPercent(figures.off)}. Serve the model to some users.`,
      ),
    arms_disagree: ({ subject, figures }) =>
      no(
        subject,
        `users do not look at each place on its own: an arm, valued by the requests of all, is off by ${decimal(Math.abs(figures.z), 1)} standard errors. Serve the model to some users.`,
      ),
    few_pairs: ({ subject, figures }) =>
      no(
        subject,
        `whether users stop at a click shows in requests with two clicks: ${whole(figures.pairs)} are expected, and it takes ${LEAST_PAIRS}. Wait for more.`,
      ),
    clicks_stop: ({ subject, figures }) =>
      no(
        subject,
        `users stop at a click: requests have ${percent(figures.ratio)} of the pairs of clicks that places looked at on their own would have. Serve the model to some users.`,
      ),
    weights_off: ({ subject, figures }) =>
      no(
        subject,
        `weights average to ${decimal(figures.mean, 2)} and not to 1. Log the chance by which each list was drawn.`,
      ),
    one_row: ({ subject, figures }) =>
      no(
        subject,
        `one click makes up ${percent(figures.share)} of a value. Keep shares more even.`,
      ),
    loggers_differ: ({ subject }) =>
      no(
        subject,
        'several models drew the lists. Log the chance that any of them shows an item, and set value.loggers to balanced.',
      ),
    no_lists: ({ subject, names: [model = ''] = [] }) =>
      no(subject, say`no request has a list of ${{ name: model }}. Log its lists.`),
    sampled_out: ({ subject }) =>
      no(
        subject,
        'no request has all lists in the sample. Use a longer window, or a larger limits.requests.',
      ),
    unnamed: ({ subject }) =>
      no(
        subject,
        'shown lists led to much of what users found, and interactions do not name them. Log exposure with each click.',
      ),
    all_caused: ({ subject, figures }) =>
      no(
        subject,
        `shown lists led to ${percent(figures.caused)} of what users found, so a metric says what was shown. Log share with the lists, and let chance decide between them.`,
      ),
    one_served: ({ names: [model = ''] = [] }) =>
      say`No verdict: only ${{ name: model }} served lists, so there is nothing to compare it with. Split users between it and a second model.`,
    not_trusted: ({ subject, figures }) =>
      no(
        subject,
        `randomised traffic contradicts the correction for popularity (${decimal(figures.deviation, 1)} standard errors). Calibrate γ with it.`,
      ),
    rows_lack: ({ subject, figures, names: [model = '', other = ''] = [] }) =>
      no(
        subject,
        say`${{ name: model }} has a list for ${percent(figures.share)} of what users found, and ${{ name: other }} for ${percent(figures.other)}: the rest may differ. Log lists of both for all of it.`,
      ),
    rows_differ: ({ subject }) =>
      no(subject, 'they were evaluated on different users. Give all of them lists of both.'),
    mix_turns: ({
      subject,
      figures,
      names: [winner = '', loser = '', dimension = '', value = ''] = [],
    }) => {
      const where =
        figures.isEverywhere === 1
          ? `in each of ${figures.values} ${plural(dimension)}`
          : `within ${plural(dimension)}`;
      const share = figures.hasMore === 1 ? 'more' : 'fewer';
      const of = { name: value };
      const mix =
        value === '' ? say`other shares of ${plural(dimension)}` : say`${share} ${of} users`;
      return no(
        subject,
        say`${{ name: winner }} wins ${where}; ${{ name: loser }} has ${mix}, and wins in total. Like for like it is ${decimal(figures.within, DIGITS)} for ${{ name: winner }}: compare them within ${{ name: dimension }}.`,
      );
    },
    mix_unclear: ({ subject, names: [, , dimension = ''] = [] }) => {
      return no(
        subject,
        say`they were evaluated on different rows, and like for like within ${{ name: dimension }} neither is clearly ahead. Log lists of both for all users.`,
      );
    },
  };

function wordsOfCause<Cause extends NoVerdictCause>(cause: Cause, finding: Finding): Sentence {
  return NO_VERDICT_WORDS[cause](finding as unknown as NoVerdict<Cause>);
}

/** Why a pair began, by its place in `RESTART_CAUSES`; the first where it is new. */
const BEGINNINGS = [
  'they began on',
  'after an alarm on one of them they began again on',
  'after a mark on one of them they began again on',
  'γ comes from another source, so they began again on',
] as const;

const PAIR_WORDS = {
  verdict_prefer: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { rung, isSingleLook, isSharper, isIfChance, above } = figures;
    const by = `, ${GROUNDS[RUNGS[rung]]}`;
    const from = isSharper === 1 ? ', from the first position where their lists differ' : '';
    const chance = isIfChance === 1 ? ', if models were assigned at random' : '';
    const when = isSingleLook === 1 ? '' : `, ${sinceWhen(figures.since)}`;
    const caution = isKnown(above)
      ? ` Above that position the difference is ${signed(above, DIGITS)}: assignment was not random, or users choose by the whole list.`
      : '';
    const except = exceptIn(finding.names);
    return say`${a} beats ${b}: ${gain(subject, figures)}${by}${from}${chance}${except}${when}.${caution}${opposite(finding)}`;
  },
  verdict_leads: (finding) => {
    const { subject, figures } = finding;
    const { a, b, metric } = pairOf(subject);
    const [name] = metric.split(/[@ ]/);
    const common =
      figures.common < 1
        ? ` on the ${percent(figures.common)} of ratings that both predicted, whatever the others come to`
        : '';
    const of = isRatingMetric(name) ? common : '';
    const when = figures.isSingleLook === 1 ? '' : `, ${sinceWhen(figures.since)}`;
    if (figures.repeated > 0) {
      return say`${a} leads ${b} by ${metric}${correctedFor(metric)}${when}. By how much is not known: ${percent(figures.repeated)} of the interactions were repeats, which count once. Use a shorter window.${opposite(finding)}`;
    }
    return say`${a} leads ${b}: ${measured(metric, figures)}${correctedFor(metric)}${of}${when}.${opposite(finding)}`;
  },
  verdict_probably: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { listed: share, isShown } = figures;
    const where = share < 1 ? `; where it had lists, ${percent(share)}` : '';
    const nobody = isShown === 1 ? say`` : say` Nobody was served ${a}${where}: try it.`;
    return say`${a} probably beats ${b}: ${gain(subject, figures)}, if users examine each position on its own.${nobody}${opposite(finding)}`;
  },
  verdict_probably_not: (finding) => {
    const { a, b } = pairOf(finding.subject);
    return say`${a} probably does not beat ${b}: at most ${signed(finding.figures.upper, DIGITS)} reward per request, even if everything earned that no served list shows.${opposite(finding)}`;
  },
  verdict_unknown: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { covered, lower, upper } = figures;
    return say`Can’t tell yet whether ${a} beats ${b}: served lists overlap with ${percent(covered)} of its ranking, so its reward per request could be ${signed(lower, DIGITS)} to ${signed(upper, DIGITS)} more. Serve it to a few users, or log some randomised lists.${opposite(finding)}`;
  },
  verdict_no_preference: ({ subject, figures }) => {
    const { a } = pairOf(subject);
    return say`No preference: ${a} earned ${decimal(Math.abs(figures.value), DIGITS)} more per request, but nothing says that models were assigned at random. State the split, or log share with each list.`;
  },
  verdict_changed: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const lastDay = signed(figures.lastDay, DIGITS);
    const more = figures.lastDay > figures.value ? 'by more' : 'by less';
    const how = figures.lastDay > 0 ? more : 'not';
    return say`No preference: ${a} is ahead of ${b} ${sinceWhen(figures.since)}, ${measured(metric, figures)}, but ${how} in the last 24 h (${lastDay}).`;
  },
  verdict_more_users: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const { days, users } = figures;
    const length = `${decimal(days, days < 10 ? 1 : 0)} days`;
    const more = Number.isFinite(users)
      ? `${rounded(users)} more users at today’s rate, ${length}`
      : `${length} more`;
    return say`Can’t tell yet whether ${a} beats ${b}: ${measured(metric, figures)}. The test needs about ${more} (half to twice that).`;
  },
  verdict_never: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell whether ${a} beats ${b}: ${measured(metric, figures)}. More time will not help: the same users return, with the same tastes.`;
  },
  verdict_open: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell yet whether ${a} beats ${b}: ${measured(metric, figures)}. From the second day on, this line also estimates how much longer the test needs.`;
  },
  verdict_unclear: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const from =
      figures.isSharper === 1 ? ', from the first position where their lists differ' : '';
    const partial =
      figures.common < 1
        ? ` Both predicted ${percent(figures.common)} of the ratings, and the others may change the answer: let both predict all.`
        : '';
    return say`Can’t tell whether ${a} beats ${b}: ${gain(subject, figures)}, ${GROUNDS[RUNGS[figures.rung]]}${from}.${partial}${opposite(finding)}`;
  },
  verdict_flips: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell which is better by ${metric}: ${a} wins below γ = ${decimal(figures.gamma, 2)}, ${b} above.`;
  },
  verdict_immaterial: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`No difference that matters between ${a} and ${b}: ${measured(metric, figures)}, less than ${decimal(figures.margin, DIGITS)} either way.`;
  },
  verdict_same: ({ subject }) => {
    const { a, b, metric } = pairOf(subject);
    return say`${a} and ${b} gain the same: their lists agree wherever it counts for ${metric}.`;
  },
  verdict_young: ({ subject, figures }) =>
    say`No verdict yet on ${all(subject)}: ${BEGINNINGS[figures.why] ?? BEGINNINGS[0]} ${day(figures.since)} at ${clock(figures.since)} UTC, and it takes a whole day, until ${clock(figures.since)} on ${day(figures.since + DAY_MS)}.`,
  verdict_few_users: ({ subject, figures }) =>
    no(subject, `${whole(figures.users)} effective users, and it takes ${FEW}. Wait for more.`),
  verdict_stale: ({ subject }) =>
    no(
      subject,
      'for a day one of a pair has had no lists for what users found. Log its lists again.',
    ),
  verdict_unsettled: ({ subject }) =>
    no(subject, 'a model changes too often, four times in a week. Leave it as it is for a week.'),
  verdict_not_corrected: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: users rate what they like, and snips, which corrects for it, is not given. Set ratings.propensities: how likely each pair is to be rated.`,
  verdict_unpredicted: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: one of two models did not predict all rated pairs, so errors are of different pairs. Let both predict all.`,
  verdict_none: (finding) => wordsOfCause(finding.cause as NoVerdictCause, finding),
} satisfies Words;

/** The sentence of each verdict; one that an A/B test gives has the test's own. */
export const VERDICT_WORDS = Object.fromEntries(
  Object.entries(PAIR_WORDS).map(([code, words]) => [
    code,
    (finding: Finding) =>
      testVerdict(finding) ?? (words as (finding: Finding) => Sentence)(finding),
  ]),
) as typeof PAIR_WORDS;

/** Which model is better, in a word or two, where none is preferred. */
export const VERDICT_SHORT_WORDS: Readonly<Record<string, (ahead: string) => ShortWords>> = {
  verdict_leads: (ahead) => ({ tone: 'care', word: `${ahead} leads` }),
  verdict_probably: (ahead) => ({ tone: 'care', word: `Probably ${ahead}` }),
  verdict_changed: () => ({ tone: 'care', word: 'It changed' }),
  verdict_no_preference: () => ({ tone: 'care', word: 'No preference' }),
  verdict_flips: () => ({ tone: 'unknown', word: 'It depends' }),
  verdict_immaterial: () => ({ tone: 'unknown', word: 'None that matters' }),
  verdict_same: () => ({ tone: 'unknown', word: 'None' }),
  verdict_probably_not: (model) => ({ tone: 'unknown', word: `Probably not ${model}` }),
};

interface ShortWords {
  readonly tone: 'care' | 'unknown';
  readonly word: string;
}
