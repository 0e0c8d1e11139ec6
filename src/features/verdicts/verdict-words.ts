import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { decimal, isKnown, percent, signed, signedPercent, whole } from '../../rows/figures.js';
import type { Finding, Subject, Words } from '../../rows/findings/finding.js';
import { type Name, type Sentence, say } from '../../rows/findings/sentence.js';
import { clock, day } from '../../rows/times.js';
import { capital, listed } from '../../rows/words.js';
import { type CodedReason, type NoVerdictCause, RUNGS, type Rung } from '../verdict.js';
import type { TestFigures } from './test-findings.js';
import { testVerdict } from './test-words.js';

/** A difference with its interval. */
interface Interval {
  value: number;
  lower: number;
  upper: number;
}

/** Figures of the reasons for no verdict. */
interface FiguresByReason {
  young: { why: number };
  few_users: { users: number };
  few_rewards: { rewards: number };
  stale: Since;
  unsettled: Since;
  draw_mixed: {
    same: number;
    expected: number;
  };
  draw_turns: {
    same: number;
    expected: number;
  };
  names_differ: {
    missing: number;
    other: number;
  };
  shares_off: {
    served: number;
    stated: number;
    isByUser?: number;
  };
  unbalanced: { more: number };
  unlike_before: { more: number };
  mixed_users: {
    own: number;
    all: number;
  };
  shares_off_within: {
    served: number;
    stated: number;
  };
  split_changed: { day: number };
  lists_cut: {
    share: number;
    other: number;
  };
  late_turns: {
    with: number;
    without: number;
  };
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
  rows_lack: {
    share: number;
    other: number;
  };
  rows_differ: Since;
  mix_turns: {
    within: number;
    values: number;
    isEverywhere: number;
    hasMore: number;
  };
  mix_unclear: {
    within: number;
    values: number;
    isEverywhere: number;
    hasMore: number;
  };
  not_corrected: Since;
  unpredicted: Since;
}

interface Since {
  readonly since: number;
}

type FiguresOfReasons = {
  [Reason in CodedReason as `verdict_${Reason}`]: FiguresByReason[Reason] & Since;
};

/** A finding for a pair without a verdict. */
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
    verdict_leads: Interval &
      Since & {
        isSingleLook: number;
        repeated: number;
        common: number;
      };
    verdict_probably: Interval &
      Since & {
        listed: number;
        isShown: number;
      };
    verdict_probably_not: Since & { upper: number };
    verdict_unknown: Interval & Since & { covered: number };
    verdict_no_preference: Interval & Since;
    verdict_changed: Interval & Since & { lastDay: number } & Partial<TestFigures>;
    verdict_more_users: Interval &
      Since & {
        days: number;
        users: number;
      };
    verdict_never: Interval & Since;
    verdict_open: Interval & Since & Partial<TestFigures>;
    verdict_unclear: Interval &
      Since & {
        rung: number;
        isSharper: number;
        common: number;
      } & Partial<TestFigures>;
    verdict_flips: Since & { gamma: number };
    verdict_immaterial: Interval & Since & { margin: number } & Partial<TestFigures>;
    verdict_same: Since;
  }
}

const DIGITS = 3;
/** Least duration for a verdict, ms. */
const DAY_MS = 86_400_000;
/** Least number of effective users for a verdict, and least number of rewards. */
const FEW = 30;
/** Least expected pairs of clicks to test whether users stop after a click. */
const LEAST_PAIRS = 20;

/** Names of the pair, the better model first, and of the metric. */
function pairOf({ models = [], metrics = [], rows }: Subject): {
  readonly a: Name;
  readonly b: Name;
  readonly metric: string;
} {
  const name = metrics[0] === 'value' ? 'reward per request' : (metrics[0] ?? '');
  const metric = rows === 'uncaused' ? `${name} on organic interactions` : name;
  return {
    a: { name: models[0] },
    b: { name: models[1] },
    metric,
  };
}

function measured(
  metric: string,
  {
    value,
    lower,
    upper,
  }: {
    value: number;
    lower: number;
    upper: number;
  },
): string {
  return `${signed(value, DIGITS)} ${metric} (${limits(lower, upper)})`;
}

function all({ models = [] }: Subject): Sentence {
  return listed([...models].sort().map((name): Name => ({ name })));
}

function sinceWhen(ms: number): string {
  return `since ${day(ms)}`;
}

/** Round to one or two significant digits: 1,000 instead of 1,034. */
function rounded(count: number): string {
  return whole(Number(count.toPrecision(count < 100 ? 1 : 2)));
}

function correctedFor(metric: string): string {
  const [name] = metric.split(/[@ ]/);
  return isRatingMetric(name) ? ', corrected for who rates what' : ', corrected for popularity';
}

/** Difference in reward with its interval: `+0.12 reward per request (95 % CI +0.05 to +0.19)`, or in a metric. */
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

/** Distance from a reference: `0.18 below`. */
function apart(value: number): string {
  return `${decimal(Math.abs(value), DIGITS)} ${value < 0 ? 'below' : 'above'}`;
}

/** Note on weaker evidence that is significant and opposite. */
function opposite({ reason }: Pick<Finding, 'reason'>): string {
  return reason === undefined ? '' : ` ${capital(reason)} says the opposite.`;
}

/**
 * Format the segments in which the other model is better: ` beta is better in device desktop.` The
 * names are dimension and value alternately.
 */
function exceptIn(other: Name, names: readonly string[] = []): Sentence {
  const values = names.filter((_, n) => n % 2 === 1);
  if (values.length === 0) return say``;
  const segments = values.map((name, s) => say`${names[2 * s]} ${{ name }}`);
  return say` ${other} is better in ${listed(segments).flat()}.`;
}

/** Note on the clicks that a sharper comparison counts. */
function fromWhere(isSharper: number): string {
  return isSharper === 1
    ? ' Only clicks at or below the first position where the lists differ are counted.'
    : '';
}

/** Evidence of a verdict by corrected organic interactions, if randomised traffic agrees. */
const AGREED = ', corrected for popularity; randomised traffic agrees';

/** Phrase for the evidence of a comparison. */
const GROUNDS: Readonly<Record<Rung, string>> = {
  experiment: 'from the A/B test',
  propensities: 'from logged propensities of whole lists',
  arms: 'if users examine each position on its own',
  slots:
    'from logged propensities of positions, which can show that a model is better but not that it is worse',
  randomized: 'from randomised traffic',
  metric: 'from this window alone',
  observed: 'from what was served, without randomisation',
};

/** Plural of a dimension's name: `devices`. */
function plural(dimension: string): string {
  if (/[^aeiou]y$/.test(dimension)) return `${dimension.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(dimension) ? `${dimension}es` : `${dimension}s`;
}

function no(subject: Subject, why: Sentence | string): Sentence {
  return say`No verdict on ${all(subject)}: ${why}`;
}

/** Sentences for pairs without a verdict, by cause, with the remedy. */
const NO_VERDICT_WORDS: { readonly [Cause in NoVerdictCause]: (of: NoVerdict<Cause>) => Sentence } =
  {
    few_rewards: ({ subject, figures, names: [model] = [] }) => {
      const of = model === undefined ? say`` : say`the value of ${{ name: model }} rests on `;
      const rewards = whole(figures.rewards);
      return no(
        subject,
        say`${of}only ${rewards} effective rewards. At least ${whole(FEW)} are needed: wait for more data.`,
      );
    },
    draw_mixed: ({ subject, figures }) =>
      no(
        subject,
        `models look randomised neither by user nor by request. Two consecutive requests of a user have the same model in ${percent(figures.same)} of cases; expected ${percent(figures.expected)} if randomised by request, 100\u00a0% if by user. Assign the model at random to each user, or to each request.`,
      ),
    draw_turns: ({ subject, figures }) =>
      no(
        subject,
        `models alternate over time. Users who came at the same time had the same model in ${percent(figures.same)} of cases; expected ${percent(figures.expected)} if randomised. Assign the model at random to each user, or to each request.`,
      ),
    names_differ: ({ subject, figures, names: [model = '', other = ''] = [] }) =>
      no(
        subject,
        say`about ${percent(figures.missing)} of the clicks on lists of ${{ name: model }} lack their list’s id, compared with ${percent(figures.other)} for ${{ name: other }}. That may reverse the result. Send the list’s id in exposure with each click.`,
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
        say`users of ${{ name: model }} were not a random sample. For the same lists, their predicted reward is ${percent(Math.abs(figures.more))} ${figures.more < 0 ? 'below' : 'above'} that of all users. Assign models at random.`,
      ),
    unlike_before: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`users of ${{ name: model }} had ${percent(Math.abs(figures.more))} ${figures.more < 0 ? 'fewer' : 'more'} interactions before the test than all users. Assign models at random.`,
      ),
    mixed_users: ({ subject, figures, names: [model = '', dimension = '', value = ''] = [] }) =>
      no(
        subject,
        say`users of ${{ name: model }} were not a random sample. ${percent(figures.own)} of them have ${{ name: dimension }} ${{ name: value }}, compared with ${percent(figures.all)} of all users. Assign models at random.`,
      ),
    shares_off_within: ({
      subject,
      figures,
      names: [model = '', dimension = '', value = ''] = [],
    }) =>
      no(
        subject,
        say`sample ratio mismatch within ${{ name: dimension }} ${{ name: value }}: ${{ name: model }} served ${percent(figures.served, 1)} there, expected ${percent(figures.stated, 1)}. Fix the split or find the missing lists, then restart the test.`,
      ),
    split_changed: ({ subject, figures }) =>
      no(
        subject,
        `the split changed on day ${whole(figures.day)}. Log the probability of serving each list as share, or restart the test and keep one split.`,
      ),
    lists_cut: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`lists of ${{ name: model }} are logged incompletely. ${percent(figures.share)} of the clicks attributed to them are on items that the list does not contain, compared with ${percent(figures.other)} in the other arm. Log whole lists.`,
      ),
    late_turns: ({ subject, figures }) =>
      no(
        subject,
        `clicks after value.horizon would reverse the result. They change the difference from ${signed(figures.without, 2)} to ${signed(figures.with, 2)} per list. Set a longer value.horizon.`,
      ),
    placebo_off: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`even where both lists are identical, ${{ name: model }} earns ${decimal(Math.abs(figures.more), DIGITS)} ${figures.more < 0 ? 'less' : 'more'} per request, so something besides the lists differs. Assign models at random.`,
      ),
    requests_lost: ({ subject, figures }) =>
      no(
        subject,
        `only ${percent(figures.complete)} of the requests are logged completely, that is with the lists of all models or with the propensities of what was shown. At least 95\u00a0% are needed. Log them with every request.`,
      ),
    no_rewards: ({ subject }) =>
      no(
        subject,
        'no click is attributed to their lists. Send the list’s id in exposure with each click.',
      ),
    one_user: ({ subject }) => no(subject, 'all data come from one user. Wait for more users.'),
    lists_lack: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`${{ name: model }} has a list in only ${percent(figures.share)} of the requests. Log its list with every request.`,
      ),
    lists_follow_arm: ({ subject, names: [model = ''] = [] }) =>
      no(
        subject,
        say`lists of ${{ name: model }} depend on which model is served. Generate the lists of all models before drawing the one to serve.`,
      ),
    examination_unsure: ({ subject }) =>
      no(
        subject,
        'examination probabilities of positions are too uncertain. Collect more requests, or log some randomised lists.',
      ),
    arm_off: ({ subject, figures, names: [model = ''] = [] }) =>
      no(
        subject,
        say`users do not examine positions independently. Estimated from requests of other models, the value of ${{ name: model }} is off by ${signedPercent(figures.off)}. Serve the model to some users.`,
      ),
    arms_disagree: ({ subject, figures }) =>
      no(
        subject,
        `users do not examine positions independently. Estimated from all requests, the value of a served model is off by ${decimal(Math.abs(figures.z), 1)} standard errors. Serve the model to some users.`,
      ),
    few_pairs: ({ subject, figures }) =>
      no(
        subject,
        `too few requests have two clicks to test whether users stop after the first. About ${whole(figures.pairs)} pairs of clicks are expected, at least ${LEAST_PAIRS} are needed. Wait for more data.`,
      ),
    clicks_stop: ({ subject, figures }) =>
      no(
        subject,
        `users tend to stop after a click, so they do not examine positions independently. Requests have only ${percent(figures.ratio)} of the pairs of clicks that independent positions would give. Serve the model to some users.`,
      ),
    weights_off: ({ subject, figures }) =>
      no(
        subject,
        `logged propensities are wrong: importance weights average ${decimal(figures.mean, 2)}, expected 1. Log the probability with which each list was drawn.`,
      ),
    one_row: ({ subject, figures }) =>
      no(
        subject,
        `one click makes up ${percent(figures.share)} of a model’s value. Serve models in more even shares, or use a longer log.`,
      ),
    loggers_differ: ({ subject }) =>
      no(
        subject,
        'several models drew the lists, each with its own propensities. Log for each item the probability that any of them shows it, and set value.loggers to balanced.',
      ),
    no_lists: ({ subject, names: [model = ''] = [] }) =>
      no(subject, say`no request has a list of ${{ name: model }}. Log its lists.`),
    sampled_out: ({ subject }) =>
      no(
        subject,
        'no request has all its lists in the sample. Use a longer window, or raise limits.requests.',
      ),
    unnamed: ({ subject }) =>
      no(
        subject,
        'clicks do not say which list led to them. Send the list’s id in exposure with each click.',
      ),
    all_caused: ({ subject, figures }) =>
      no(
        subject,
        `${percent(figures.caused)} of clicks came from served lists, so the metric measures what was shown, not what users like. Run an A/B test: split users between the models at random.`,
      ),
    one_served: ({ names: [model = ''] = [] }) =>
      say`No verdict: only ${{ name: model }} served lists, so there is nothing to compare it with. Split users between it and a second model.`,
    not_trusted: ({ subject, figures }) =>
      no(
        subject,
        `randomised traffic contradicts the popularity correction (${decimal(figures.deviation, 1)} standard errors). Calibrate γ with it (--gamma auto).`,
      ),
    rows_lack: ({ subject, figures, names: [model = '', other = ''] = [] }) =>
      no(
        subject,
        say`${{ name: model }} has lists for only ${percent(figures.share)} of the interactions, ${{ name: other }} for ${percent(figures.other)}. Log lists of both for all users.`,
      ),
    rows_differ: ({ subject }) =>
      no(subject, 'they were evaluated on different users. Log lists of both for all users.'),
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
        value === '' ? say`another mix of ${plural(dimension)}` : say`${share} ${of} users`;
      return no(
        subject,
        say`${{ name: winner }} wins ${where}, but ${{ name: loser }} has ${mix} and wins overall (Simpson’s paradox). Compare them within ${{ name: dimension }}: there ${{ name: winner }} is ahead by ${decimal(figures.within, DIGITS)}.`,
      );
    },
    mix_unclear: ({ subject, names: [, , dimension = ''] = [] }) => {
      return no(
        subject,
        say`their users differ in ${{ name: dimension }}, and neither is clearly ahead when compared within its values. Log lists of both for all users.`,
      );
    },
  };

function wordsOfCause<Cause extends NoVerdictCause>(cause: Cause, finding: Finding): Sentence {
  return NO_VERDICT_WORDS[cause](finding as unknown as NoVerdict<Cause>);
}

/**
 * How a comparison began. The first text is for a new comparison; the others are for restarts, in
 * the order of `RESTART_CAUSES`.
 */
const BEGINNINGS = [
  'the comparison began on',
  'an alarm on one of them restarted the comparison on',
  'a mark on one of them restarted the comparison on',
  'a new source of γ restarted the comparison on',
] as const;

const PAIR_WORDS = {
  verdict_prefer: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { rung, isSingleLook, isSharper, isIfChance, above } = figures;
    const isRandomised = RUNGS[rung] === 'randomized';
    const by = isRandomised && isSharper === 1 ? AGREED : `, ${GROUNDS[RUNGS[rung]]}`;
    const chance = isIfChance === 1 ? ', if models were assigned at random' : '';
    const when = isSingleLook === 1 ? '' : `, ${sinceWhen(figures.since)}`;
    const caution = isKnown(above)
      ? ` Above that position the lists are the same, and yet the difference is ${signed(above, DIGITS)}: assignment was not random, or users choose by the whole list.`
      : '';
    const except = exceptIn(b, finding.names);
    return say`${a} beats ${b}: ${gain(subject, figures)}${by}${chance}${when}.${except}${isRandomised ? '' : fromWhere(isSharper)}${caution}${opposite(finding)}`;
  },
  verdict_leads: (finding) => {
    const { subject, figures } = finding;
    const { a, b, metric } = pairOf(subject);
    const [name] = metric.split(/[@ ]/);
    const common =
      figures.common < 1
        ? ` Both predicted ${percent(figures.common)} of the ratings, and the other ratings cannot reverse the result.`
        : '';
    const of = isRatingMetric(name) ? common : '';
    const when = figures.isSingleLook === 1 ? '' : `, ${sinceWhen(figures.since)}`;
    if (figures.repeated > 0) {
      return say`${a} leads ${b} by ${metric}${correctedFor(metric)}${when}. The size of the lead is not known: ${percent(figures.repeated)} of the interactions were repeats, which count once. Use a shorter window.${opposite(finding)}`;
    }
    return say`${a} leads ${b}: ${measured(metric, figures)}${correctedFor(metric)}${when}.${of}${opposite(finding)}`;
  },
  verdict_probably: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { listed: share, isShown } = figures;
    const where = share < 1 ? ` and has lists for ${percent(share)} of the requests` : '';
    const nobody =
      isShown === 1 ? say`` : say` ${a} was never served${where}. Serve it to a few users.`;
    return say`${a} probably beats ${b}: ${gain(subject, figures)}, if users examine each position on its own.${nobody}${opposite(finding)}`;
  },
  verdict_probably_not: (finding) => {
    const { a, b } = pairOf(finding.subject);
    return say`${a} probably does not beat ${b}: the difference is at most ${signed(finding.figures.upper, DIGITS)} reward per request, even if users had clicked every item that no served list showed.${opposite(finding)}`;
  },
  verdict_unknown: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const { covered, lower, upper } = figures;
    return say`Can’t tell yet whether ${a} beats ${b}: served lists overlap with only ${percent(covered)} of its ranking, so its reward per request could be anywhere from ${apart(lower)} to ${apart(upper)} that of ${b}. Serve it to a few users, or log some randomised lists.${opposite(finding)}`;
  },
  verdict_no_preference: ({ subject, figures }) => {
    const { a, b } = pairOf(subject);
    return say`No preference: ${a} earned ${decimal(Math.abs(figures.value), DIGITS)} more per request than ${b}, but the log does not show that models were assigned at random. State the split, or log share with each list.`;
  },
  verdict_changed: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const lastDay = signed(figures.lastDay, DIGITS);
    const size = figures.lastDay > figures.value ? 'a larger lead' : 'a smaller lead';
    const lead = figures.lastDay > 0 ? size : 'no lead';
    return say`No preference: ${a} leads ${b} ${sinceWhen(figures.since)} by ${measured(metric, figures)}, but the last 24 h show ${lead} (${lastDay}).`;
  },
  verdict_more_users: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const { days, users } = figures;
    const length = `${decimal(days, days < 10 ? 1 : 0)} days`;
    const more = Number.isFinite(users)
      ? `${rounded(users)} more users, which takes ${length} at today’s rate`
      : `${length} more`;
    return say`Can’t tell yet whether ${a} beats ${b}: ${measured(metric, figures)}. The test needs about ${more} (half to twice that).`;
  },
  verdict_never: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell whether ${a} beats ${b}: ${measured(metric, figures)}. More time will not help, because the same users keep returning. The test needs more users.`;
  },
  verdict_open: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell yet whether ${a} beats ${b}: ${measured(metric, figures)}. From the second day on, this line also estimates how much longer the test needs.`;
  },
  verdict_unclear: (finding) => {
    const { subject, figures } = finding;
    const { a, b } = pairOf(subject);
    const partial =
      figures.common < 1
        ? ` Both predicted only ${percent(figures.common)} of the ratings, and the other ratings may change the result. Let both predict all ratings.`
        : '';
    return say`Can’t tell whether ${a} beats ${b}: ${gain(subject, figures)}, ${GROUNDS[RUNGS[figures.rung]]}.${fromWhere(figures.isSharper)}${partial}${opposite(finding)}`;
  },
  verdict_flips: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Can’t tell which is better by ${metric}: ${a} wins below γ = ${decimal(figures.gamma, 2)}, ${b} above. Serve a few randomised lists: they determine γ.`;
  },
  verdict_immaterial: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`No difference that matters between ${a} and ${b}: ${measured(metric, figures)}, within the margin of ±${decimal(figures.margin, DIGITS)}.`;
  },
  verdict_same: ({ subject }) => {
    const { a, b, metric } = pairOf(subject);
    return say`${a} and ${b} have the same ${metric}: their lists agree wherever it matters.`;
  },
  verdict_young: ({ subject, figures }) =>
    say`No verdict yet on ${all(subject)}: ${BEGINNINGS[figures.why] ?? BEGINNINGS[0]} ${day(figures.since)} at ${clock(figures.since)} UTC. A verdict needs a whole day of data, until ${clock(figures.since)} on ${day(figures.since + DAY_MS)}.`,
  verdict_few_users: ({ subject, figures }) =>
    no(
      subject,
      `only ${whole(figures.users)} effective users. At least ${FEW} are needed: wait for more data.`,
    ),
  verdict_stale: ({ subject }) =>
    no(subject, 'one of them has sent no lists for a day. Log its lists again.'),
  verdict_unsettled: ({ subject }) =>
    no(
      subject,
      'one of them changed four times in a week, and each change restarts the comparison. Leave both unchanged for a week.',
    ),
  verdict_not_corrected: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: users rate what they like, and snips, the estimate that corrects for it, is not available. Set ratings.propensities, which say how likely each pair is to be rated.`,
  verdict_unpredicted: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: one of them did not predict all rated pairs, so their errors cannot be compared. Let both predict all rated pairs.`,
  verdict_none: (finding) => wordsOfCause(finding.cause as NoVerdictCause, finding),
} satisfies Words;

/** Sentences of verdicts; a verdict from an A/B test has its own. */
export const VERDICT_WORDS = Object.fromEntries(
  Object.entries(PAIR_WORDS).map(([code, words]) => [
    code,
    (finding: Finding) =>
      testVerdict(finding) ?? (words as (finding: Finding) => Sentence)(finding),
  ]),
) as typeof PAIR_WORDS;

/** Verdicts that need caution: one model is ahead, but not significantly, or the verdict is outdated. */
export const VERDICTS_WITH_CARE: ReadonlySet<string> = new Set([
  'verdict_leads',
  'verdict_probably',
  'verdict_changed',
  'verdict_no_preference',
]);
