import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { decimal, signed, whole } from '../../rows/figures.js';
import type { Subject, Words } from '../../rows/findings/finding.js';
import { type Name, type Sentence, say } from '../../rows/findings/sentence.js';
import { day } from '../../rows/times.js';
import { listed } from '../../rows/words.js';

/** A difference with its limits. */
interface Interval {
  value: number;
  lower: number;
  upper: number;
}

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode {
    verdict_prefer: Interval & {
      since: number;
      at: number;
      saysOpposite: number;
      isCorrected: number;
      isSingleLook: number;
    };
    verdict_changed: Interval & { lastDay: number; since: number };
    verdict_more_users: Interval & { days: number; users: number; since: number };
    verdict_never: Interval & { since: number };
    verdict_open: Interval & { since: number };
    verdict_unclear: Interval & { since: number };
    verdict_flips: { gamma: number; since: number };
    verdict_immaterial: Interval & { margin: number; since: number };
    verdict_same: { since: number };
    verdict_young: { since: number };
    verdict_few_users: { since: number };
    verdict_stale: { since: number };
    verdict_withheld: { since: number };
    verdict_unsettled: { since: number };
    verdict_not_corrected: { since: number };
    verdict_unpredicted: { since: number };
  }
}

const DIGITS = 4;

/** Names of the pair, the better one first where there is one, and what they are measured by. */
function pairOf({ models = [], metrics = [], rows }: Subject): {
  readonly a: Name;
  readonly b: Name;
  readonly metric: string;
} {
  const name = metrics[0] === 'value' ? 'reward of a request' : (metrics[0] ?? '');
  const metric = rows === 'uncaused' ? `${name} of what users found by themselves` : name;
  return { a: { name: models[0] }, b: { name: models[1] }, metric };
}

function measured(
  metric: string,
  { value, lower, upper }: { value: number; lower: number; upper: number },
): string {
  const limits = `${signed(lower, DIGITS)} to ${signed(upper, DIGITS)}`;
  return `${metric} ${signed(value, DIGITS)} (${limits})`;
}

function all({ models = [] }: Subject): Sentence {
  return listed(models.map((name): Name => ({ name })));
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

export const VERDICT_WORDS = {
  verdict_prefer: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const corrected = figures.isCorrected === 1 ? correctedFor(metric) : '';
    const when =
      figures.isSingleLook === 1 ? ', by one look at this window' : `, ${sinceWhen(figures.since)}`;
    const opposite = figures.saysOpposite === 1 ? ' Uncorrected says the opposite.' : '';
    return say`Prefer ${a} over ${b}: ${measured(metric, figures)}${corrected}${when}.${opposite}`;
  },
  verdict_changed: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const lastDay = signed(figures.lastDay, DIGITS);
    const more = figures.lastDay > figures.value ? 'by more' : 'by less';
    const how = figures.lastDay > 0 ? more : 'not';
    return say`${a} is better than ${b} ${sinceWhen(figures.since)}, ${measured(metric, figures)}, but ${how} in the last 24 h (${lastDay}): no preference.`;
  },
  verdict_more_users: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    const { days, users } = figures;
    const length = `${decimal(days, days < 10 ? 1 : 0)} days`;
    const more = Number.isFinite(users)
      ? `${rounded(users)} users more at today’s rate, ${length}`
      : `${length} more`;
    return say`Don’t know yet whether ${a} or ${b} is better: ${measured(metric, figures)}. It takes about ${more} (÷2 to ×2).`;
  },
  verdict_never: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Don’t know whether ${a} or ${b} is better: ${measured(metric, figures)}. It cannot be known with these users: the same ones come back with lasting tastes.`;
  },
  verdict_open: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Don’t know yet whether ${a} or ${b} is better: ${measured(metric, figures)}. How long it takes is said from the second day on.`;
  },
  verdict_unclear: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Don’t know whether ${a} or ${b} is better: ${measured(metric, figures)}, by one look at this window.`;
  },
  verdict_flips: ({ subject, figures }) => {
    const { a, b, metric } = pairOf(subject);
    return say`Don’t know which is better by ${metric}: ${a} wins below γ = ${decimal(figures.gamma, 2)}, ${b} above.`;
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
    say`No verdict yet on ${all(subject)}: it takes a whole day ${sinceWhen(figures.since)}, when they began or changed.`,
  verdict_few_users: ({ subject }) => say`No verdict on ${all(subject)}: there are too few users.`,
  verdict_stale: ({ subject }) =>
    say`No verdict on ${all(subject)}: for a day one of a pair has had no lists for what users found.`,
  verdict_withheld: ({ subject }) =>
    say`No verdict on ${all(subject)}: shown lists caused too much, and interactions do not name them.`,
  verdict_unsettled: ({ subject }) =>
    say`No verdict on ${all(subject)}: a model changes too often, four times in a week.`,
  verdict_not_corrected: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: users rate what they like, and snips, which corrects for it, is not given.`,
  verdict_unpredicted: ({ subject }) =>
    say`No verdict on ${all(subject)} by ratings: one of a pair did not predict all rated pairs, so their errors are of different ones.`,
} satisfies Words;

/** Which model is better, in a word or two, where it is not the name of one. */
export const VERDICT_SHORT_WORDS: Readonly<Record<string, string>> = {
  verdict_changed: 'It changed',
  verdict_flips: 'It depends',
  verdict_immaterial: 'None that matters',
  verdict_same: 'None',
};
