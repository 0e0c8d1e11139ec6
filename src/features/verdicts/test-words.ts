import { decimal, isKnown, percent, shareWords, whole } from '../../rows/figures.js';
import type { Finding, Words } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import type { AbAnswer, AbCautionCode } from './answer.js';
import { rewardName, type TestFigures } from './test-findings.js';

type Figures = Readonly<Record<string, number>>;

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode extends Record<`test_${AbCautionCode}`, Figures> {}
}

/** Figures of a verdict from an A/B test; undefined for other verdicts. */
export function testFiguresOf({ figures }: Finding): TestFigures | undefined {
  return (figures as Partial<TestFigures>).isTest === 1
    ? (figures as unknown as TestFigures)
    : undefined;
}

/**
 * Format the rewards of two arms: `1.56 vs 0.94 clicks per user, +66 % (95 % CI +55 % to +77 %)`;
 * only the difference if the lift is not known.
 *
 * @param difference of the model minus the control
 */
export function comparedWords(
  { own, control, lift, liftLower, liftUpper }: TestFigures,
  {
    value,
    lower,
    upper,
  }: {
    readonly value: number;
    readonly lower: number;
    readonly upper: number;
  },
  unit: string,
): string {
  const digits = meanDigits(Math.max(own, control));
  const means = isKnown(own)
    ? `${decimal(own, digits)} vs ${decimal(control, digits)} ${unit}`
    : unit;
  if (!isKnown(lift)) {
    const signedBy = (of: number) => `${of > 0 ? '+' : ''}${decimal(of, digits)}`;
    return `${means}, ${signedBy(value)} (95 % CI ${signedBy(lower)} to ${signedBy(upper)})`;
  }
  const share = (of: number) => shareWords(of, liftUpper - liftLower);
  return `${means}, ${share(lift)} (95 % CI ${share(liftLower)} to ${share(liftUpper)})`;
}

/** Decimal places of a mean reward: two, or as many as two significant digits need. */
export function meanDigits(mean: number): number {
  if (!(mean > 0)) return 2;
  if (mean >= 100) return 1;
  return Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(mean))));
}

/** Format the verdict of an A/B test on two models; undefined if it does not come from a test. */
export function testVerdict(finding: Finding): Sentence | undefined {
  const figures = testFiguresOf(finding);
  if (figures === undefined) return undefined;
  const { models = [], metrics = [] } = finding.subject;
  // Name the better one first, although the lift is always that of the model over the control.
  const isTurned = finding.code === 'verdict_prefer' && figures.isControlBetter === 1;
  const [model, control] = (isTurned ? [...models].reverse() : models).map((name) => ({ name }));
  const { value, lower, upper } = finding.figures as {
    value: number;
    lower: number;
    upper: number;
  };
  const difference = isTurned
    ? {
        value: -value,
        lower: -upper,
        upper: -lower,
      }
    : {
        value,
        lower,
        upper,
      };
  const compared = comparedWords(figures, difference, metrics[0] ?? '');
  switch (finding.code) {
    case 'verdict_prefer':
      return say`${model!} ${isTurned ? 'loses to' : 'beats'} ${control!}: ${compared}.`;
    case 'verdict_changed':
      return say`Can’t tell whether ${model!} beats ${control!}: the last 24 h contradict the days before (${compared}).`;
    case 'verdict_immaterial':
      return say`No difference that matters between ${model!} and ${control!}: ${compared}.`;
    default:
      return say`Can’t tell yet whether ${model!} beats ${control!}: ${compared}.`;
  }
}

/** Sentences of a test's cautions, one per line. */
export const TEST_WORDS = {
  test_moved: ({ figures: { lift, all, allLower, allUpper }, subject: { models = [] } }) =>
    say`Clicks on lists of ${{ name: models[0]! }} changed by ${shareWords(lift)}, but all clicks of its users by ${shareWords(all)} (95 % CI ${shareWords(allLower)} to ${shareWords(allUpper)}), so some clicks may only have moved to the lists from elsewhere.`,
  test_requests_differ: ({ figures: { lift }, subject: { models = [] } }) =>
    say`Users of ${{ name: models[0]! }} made ${percent(Math.abs(lift!))} ${lift! < 0 ? 'fewer' : 'more'} requests than users of the control.`,
  test_late_clicks: ({ figures: { share, other }, subject: { models = [] } }) =>
    say`${percent(share)} of the clicks on lists of ${{ name: models[0]! }} come after value.horizon and are not counted, compared with ${percent(other)} for the control.`,
  test_items_differ: () =>
    say`The items that the lists show don’t explain the difference: users of the two arms treat the same items differently.`,
  test_shrinking: ({ figures: { share, day } }) =>
    say`The difference is shrinking: ${percent(share)} of it has gone since day ${whole(day)}.`,
  test_strays: ({ figures: { share } }) =>
    say`${percent(share)} of lists came from another arm than the user’s own, so the difference is understated.`,
  test_part_week: ({ figures: { days, weekdays } }) =>
    say`The test covers ${whole(days)} days${weekdays === 1 ? ', weekdays only' : ''}, and other days of the week may differ.`,
  test_pending: ({ figures: { share } }) =>
    say`${percent(share)} of requests are left out, because value.horizon has not passed for them yet.`,
  test_users_full: ({ figures: { users } }) =>
    say`The test is full: it covers the first ${whole(users)} users and none who came later.`,
  test_split_unchecked: () =>
    say`The split is not checked: no split was stated, and there are no earlier interactions to compare users by.`,
} satisfies Words;

/** Fewest days of a test for the note `weekdays only`. */
const WORKING_WEEK = 5;

/** Describe the evidence of a test in one line. */
export function testGrounds(answer: AbAnswer): Sentence {
  const { unit, arms, days, isWeekdaysOnly, isWholeWeek } = answer;
  const by = unit === null ? '' : ` by ${unit}`;
  const sizes = arms.map(({ users, requests }) => (unit === 'request' ? requests : users));
  const what = unit === 'request' ? 'lists' : 'users';
  const counts =
    sizes.length > 4
      ? `${whole(sizes.length)} arms of ${whole(Math.min(...sizes))} to ${whole(Math.max(...sizes))} ${what}`
      : `${sizes.map((size) => whole(size)).join(' vs ')} ${what}`;
  const chance = answer.isRandomisationAssumed
    ? `, if ${unit === 'request' ? 'requests' : 'users'} were assigned at random`
    : '';
  const weekdays = isWeekdaysOnly && !isWholeWeek && days >= WORKING_WEEK ? ', weekdays only' : '';
  const over = `over ${whole(days)} ${days === 1 ? 'day' : 'days'}${weekdays}`;
  const looks = answer.rule === 'sequence' ? ' The interval is valid however often you look.' : '';
  return say`A/B test${by}${chance}: ${counts} ${over}.${testedSplit(answer)}${looks}`;
}

/** Sentence on whether the split matches the declared one; empty if none is declared. */
function testedSplit({ split, arms, refusal }: AbAnswer): string {
  const { declared, served, p } = split;
  if (declared === null) return '';
  if (refusal?.code !== 'shares_off') return ` Split as configured (${pWords(p)}).`;
  const was = arms.map(({ model }) => decimal(100 * (served[model] ?? 0), 1)).join(' : ');
  const stated = arms.map(({ model }) => Number((100 * (declared[model] ?? 0)).toFixed(4)));
  return ` Served ${was}; ${stated.join(' : ')} was configured (${pWords(p)}).`;
}

/** Format a p-value: `p = 0.08`, or an upper limit if it is small. */
function pWords(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${decimal(p, p < 0.01 ? 3 : 2)}`;
}

/** Describe the split and whether it was tested. */
export function splitWords({ split, arms }: AbAnswer): Sentence {
  const served = arms.map(({ model }) => decimal(100 * (split.served[model] ?? 0), 1));
  const shares = served.length > 4 ? `between ${whole(served.length)} arms` : served.join(' : ');
  return split.declared === null
    ? say`Split ${shares}, not tested`
    : say`Split ${shares}, tested (${pWords(split.p)})`;
}

/** Suggest the flag that would test the split, with equal shares if they look equal. */
export function splitFlag({ split, arms }: AbAnswer): string | undefined {
  if (split.declared !== null) return undefined;
  const equal = 1 / arms.length;
  const isEqual = arms.every(({ model }) => Math.abs((split.served[model] ?? 0) - equal) < 0.05);
  const isPlain = arms.every(({ model }) => /^[\w.-]+$/.test(model));
  if (!isEqual || !isPlain || arms.length > 3) return '--split MODEL=SHARE,…';
  const share = Number(equal.toFixed(2));
  return `--split ${arms.map(({ model }) => `${model}=${share}`).join(',')}`;
}

/** Titles of the columns of rewards: by unit, and by list. */
export function rewardTitles({ reward, unit }: AbAnswer): {
  main: string;
  perList: string | null;
} {
  const name = rewardName(reward);
  return unit === 'request'
    ? {
        main: `${name}/list`,
        perList: null,
      }
    : {
        main: `${name}/user`,
        perList: `${name}/list`,
      };
}
