import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CountedUsers, heavyUsers } from '../../src/estimators/diagnostics/heavy-users.js';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import { RATING_METRICS } from '../../src/estimators/metrics/rating-metrics.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { ALONE, type Rounds } from '../../src/estimators/partitions/rounds.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { withItemGroups } from '../../src/estimators/segments/built-in-axes.js';
import { withSegmentAxes } from '../../src/estimators/segments/segment-axes.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import { onPolicyReport } from '../../src/features/on-policy/on-policy.js';
import { estimateRatings } from '../../src/features/ratings/estimate-ratings.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import type { ServedLists } from '../../src/state/panes/served-lists.js';
import type { ItemCounts, WindowPart } from '../../src/state/panes/window-part.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { finish } from '../oracle/finish.js';
import {
  DEFAULTS,
  type PlainRow,
  type PlainWindow,
  toCounts,
  windowParts,
} from '../oracle/window.js';
import { differences } from '../support/compare.js';
import { ratedPartOf } from '../support/rating-parts.js';
import { repetitions } from '../support/repetitions.js';
import {
  everyOther,
  type Log,
  loggedRounds,
  NAMES,
  together,
} from '../support/several-processes.js';

type Estimates = WindowEstimates;

/** A process with some of the partitions, which numbers items in its own way. */
interface Process {
  readonly partitions: readonly number[];
  /** Number of an item here, by its number in the window. */
  readonly numberOf: readonly number[];
}

function* estimatesOf(
  { partitions, numberOf }: Process,
  window: PlainWindow,
  parts: readonly WindowPart[],
  options: EstimateOptions,
  log: Log,
): Generator<void, Estimates> {
  const itemOf = numberOf.map((_, number) => numberOf.indexOf(number));
  const counts = toCounts(window);
  const renumbered = (column: Float64Array) => Float64Array.from(itemOf, (item) => column[item]);
  const own: ItemCounts = {
    items: counts.items,
    popularity: renumbered(counts.popularity),
    interactions: renumbered(counts.interactions),
    randomized: renumbered(counts.randomized),
    itemKey: (item) => counts.itemKey!(itemOf[item]),
    compareIds: (a, b) => counts.compareIds(itemOf[a], itemOf[b]),
  };
  const ownParts = partitions.map((p): WindowPart => {
    const { reach, item, ...part } = parts[p];
    const { segments } = parts[p].segments ? withValues(parts[p], numberOf[0] % 2 === 1) : parts[p];
    return {
      ...part,
      ...(segments && { segments }),
      item: item.map((i) => numberOf[i]),
      ...(reach && {
        reach: { ...reach, items: renumbered(reach.items.subarray(0, counts.items)) },
      }),
    };
  });
  const rounds = loggedRounds(partitions, parts.length, log, {
    called: everyOther(numberOf),
    textOf: (item) => window.ids[itemOf[item]],
    itemOf: (text) => numberOf[window.ids.indexOf(text)],
  });
  return yield* estimated(ownParts, own, window.models, options, rounds);
}

/** By segments too, if rows say something of any. */
function* estimated(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  models: readonly string[],
  options: EstimateOptions,
  rounds: Rounds = ALONE,
): Generator<void, Estimates> {
  const byValue = yield* withSegmentAxes(parts, { values: 2, minUsers: 2 }, rounds);
  const divided = yield* withItemGroups(byValue, parts, counts.popularity, 2, rounds);
  const given = divided === null ? options : { ...options, segments: divided.axes };
  return yield* estimateWindow(
    divided?.parts ?? parts,
    counts,
    models,
    given,
    3,
    undefined,
    rounds,
  );
}

/** Rows by values that follow from them; those of a process are numbered in its own way. */
function withValues(part: WindowPart, isTurned: boolean): WindowPart {
  if (part.rows === 0) return part;
  const values = isTurned ? ['d', 'c', 'b', 'a'] : ['a', 'b', 'c', 'd'];
  const codes = Uint16Array.from(part.item, (item, r) => {
    const value = (7 * item + part.ranks[0][r]) % 6;
    return value < 2 ? value : 2 + values.indexOf('abcd'[value - 2]);
  });
  const segments = { dimensions: ['country'], names: [['', '', ...values]], codes: [codes] };
  return { ...part, segments };
}

const OPTIONS = fc.record({
  gamma: fc.constantFrom(-1, 0.7, 2),
  interval: fc.constantFrom('t-logit' as const, 'korn-graubard' as const, 'bootstrap' as const),
  strataScheme: fc.constantFrom('popularity-width' as const, 'popularity-rank' as const),
  userForm: fc.constantFrom('plain' as const, 'corrected' as const),
  cold: fc.constantFrom('smooth' as const, 'drop' as const),
  weightsFrom: fc.constantFrom('train' as const, 'all' as const),
  draws: fc.constantFrom(0, 0, 1),
  feedback: fc.constantFrom('ignore' as const, 'caution' as const, 'withhold' as const),
  isDivided: fc.boolean(),
});

/** What caused each row, and whose list was served last: by places that go round. */
const CAUSES = fc.array(
  fc.record({
    cause: fc.constantFrom(undefined, undefined, 0, 1, 'elsewhere' as const),
    served: fc.constantFrom(undefined, 0, 1),
  }),
  { minLength: 1, maxLength: 12 },
);

function withCauses(
  window: PlainWindow,
  causes: readonly Pick<PlainRow, 'cause' | 'served'>[],
): PlainWindow {
  let row = 0;
  const caused = (own: PlainRow): PlainRow => ({ ...own, ...causes[row++ % causes.length] });
  const users = window.users.map((user, key) => ({ ...user, key, rows: user.rows.map(caused) }));
  return { ...window, users };
}

const ASKED: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['recall', 'dcg', 'auc', 'ndcg'],
  ks: [2],
  estimators: ESTIMATORS.filter((name) => name !== 'wtd_ipf'),
  guarantees: GUARANTEES,
};

interface ServedRow {
  readonly user: number;
  readonly model: number;
  readonly shownAt: number;
  readonly lists: number;
  readonly reward: number;
}

const ITEMS = [...Array(12).keys()];

it('refuse what needs all rows at once, and say why', () => {
  const [window] = fc.sample(plainWindow(), 1);
  const options = { ...ASKED, estimators: ['naive', 'wtd_ipf'] as const };
  const log: Log = new Map();
  const parts = windowParts(window!, (user) => user % 2, 2);
  const works = [0, 1].map((p) => {
    return estimatesOf({ partitions: [p], numberOf: ITEMS }, window!, parts, options, log);
  });
  for (const { refusals } of together(works)) {
    expect(refusals).toContainEqual({
      estimator: 'wtd_ipf',
      reason: expect.stringMatching('sweeps'),
    });
  }
});

it('give the same bits as one, whatever process has which partition', () => {
  const plan = fc.record({
    partitions: fc.constantFrom(1, 6, 12, 24),
    partitionOf: fc.array(fc.nat(23), { minLength: 9, maxLength: 9 }),
    processes: fc.constantFrom(1, 2, 3, 4, 8),
    processOf: fc.array(fc.nat(7), { minLength: 24, maxLength: 24 }),
    numbers: fc.array(fc.shuffledSubarray(ITEMS, { minLength: 12 }), {
      minLength: 8,
      maxLength: 8,
    }),
  });
  fc.assert(
    fc.property(
      plainWindow(),
      CAUSES,
      OPTIONS,
      plan,
      (plain, causes, { isDivided, ...given }, own) => {
        const window = withCauses(plain, causes);
        const options = { ...ASKED, ...given };
        const { partitions, processes } = own;
        const divided = (some: readonly WindowPart[]) =>
          isDivided ? some.map((part) => withValues(part, false)) : some;
        const parts = divided(
          windowParts(window, (u) => own.partitionOf[u] % partitions, partitions),
        );
        const counts = toCounts(window);
        const one = finish(estimated(parts, counts, window.models, options));
        const log: Log = new Map();
        const works = Array.from({ length: processes }, (_, w) => {
          const has = (p: number) => own.processOf[p] % processes === w;
          const process = {
            partitions: [...parts.keys()].filter(has),
            numberOf: own.numbers[w],
          };
          return estimatesOf(process, window, parts, options, log);
        });
        for (const found of together(works)) expect(found).toEqual(one);
        const whole = divided(windowParts(window, () => 0, 1));
        const undivided = finish(estimated(whole, counts, window.models, options));
        expect(differences(one, undivided, 1e-9)).toEqual([]);
      },
    ),
    { numRuns: repetitions(2, 30) },
  );
});

it('give the same bits of ratings as one', () => {
  const rating = fc.record({
    user: fc.nat(11),
    rating: fc.integer({ min: 1, max: 3 }),
    isRandom: fc.boolean(),
    propensity: fc.constantFrom(0, 0.125, 0.5, 1),
    learned: fc.constantFrom(0, 0.1, 0.25, 1),
    scores: fc.array(fc.constantFrom(0.25, 1.1, 2.75, 4, Number.NaN), {
      minLength: 2,
      maxLength: 2,
    }),
    ranks: fc.array(fc.constantFrom(1, 2, 9, Number.POSITIVE_INFINITY, Number.NaN), {
      minLength: 2,
      maxLength: 2,
    }),
  });
  const asked: fc.Arbitrary<RatingOptions> = fc.record({
    metrics: fc.constant(RATING_METRICS),
    ks: fc.constant([2]),
    estimators: fc.constant(['naive', 'snips', 'ips'] as const),
    scale: fc.constant({ lowest: 1, highest: 3, step: 1 }),
    propensity: fc.constantFrom('nb' as const, 'logged' as const, 'file' as const),
    smoothing: fc.constantFrom(0, 1),
    maxWeight: fc.constantFrom(undefined, 5),
    isCatalogueKnown: fc.constant(true),
  });
  const plan = fc.record({
    partitions: fc.constantFrom(1, 6, 12, 24),
    processes: fc.constantFrom(1, 2, 3, 4, 8),
    processOf: fc.array(fc.nat(7), { minLength: 24, maxLength: 24 }),
  });
  fc.assert(
    fc.property(fc.array(rating, { maxLength: 60 }), asked, plan, (ratings, options, own) => {
      const { partitions, processes, processOf } = own;
      const parts = Array.from({ length: partitions }, (_, p) =>
        ratedPartOf(
          ratings.filter(({ user }) => user % partitions === p),
          2,
        ),
      );
      const one = finish(estimateRatings(parts, 40, ['a', 'b'], options, undefined, ALONE));
      const log: Log = new Map();
      const works = Array.from({ length: processes }, (_, w) => {
        const has = [...parts.keys()].filter((p) => processOf[p] % processes === w);
        const rounds = loggedRounds(has, partitions, log, NAMES);
        const its = has.map((p) => parts[p]);
        return estimateRatings(its, 40, ['a', 'b'], options, undefined, rounds);
      });
      for (const found of together(works)) expect(found).toEqual(one);
      const whole = finish(
        estimateRatings([ratedPartOf(ratings, 2)], 40, ['a', 'b'], options, undefined, ALONE),
      );
      expect(differences(one, whole, 1e-12)).toEqual([]);
    }),
    { numRuns: repetitions(8, 120) },
  );
});

it('give the same users who stand apart as one', () => {
  const counts = fc.array(fc.oneof(fc.nat(30), fc.constantFrom(0, 900, 5_000, 70_000)), {
    maxLength: 80,
  });
  const plan = fc.record({
    partitions: fc.constantFrom(1, 6, 12, 24),
    processes: fc.constantFrom(1, 2, 3, 4, 8),
  });
  fc.assert(
    fc.property(counts, plan, (all, { partitions, processes }) => {
      const parts = Array.from({ length: partitions }, (_, p): CountedUsers => {
        const own = [...all.keys()].filter((user) => user % partitions === p);
        return { counts: Int32Array.from(own, (u) => all[u]), nameOf: (u) => `user ${own[u]} ✓` };
      });
      const whole = { counts: Int32Array.from(all), nameOf: (u: number) => `user ${u} ✓` };
      const one = finish(heavyUsers([whole], ALONE));
      const log: Log = new Map();
      const works = Array.from({ length: processes }, (_, w) => {
        const has = [...parts.keys()].filter((p) => p % processes === w);
        const its = has.map((p) => parts[p]);
        return heavyUsers(its, loggedRounds(has, partitions, log, NAMES));
      });
      for (const found of together(works)) expect(found).toEqual(one);
    }),
  );
});

it('give the same bits of what shown lists are worth as one', () => {
  const row = fc.record({
    user: fc.nat(15),
    model: fc.constantFrom(0, 0, 1, 0x8001, 0x7fff, 5),
    shownAt: fc.nat(1_300_000),
    lists: fc.nat(1),
    reward: fc.constantFrom(0.1, 0.7, 1),
  });
  const plan = fc.record({
    partitions: fc.constantFrom(1, 6, 12, 24),
    processes: fc.constantFrom(1, 2, 3, 4, 8),
  });
  const served = (rows: readonly ServedRow[]): ServedLists => ({
    length: rows.length,
    user: Int32Array.from(rows, ({ user }) => user),
    model: Uint16Array.from(rows, ({ model }) => model),
    shownAt: Float64Array.from(rows, ({ shownAt }) => shownAt),
    lists: Uint8Array.from(rows, ({ lists }) => lists),
    reward: Float64Array.from(rows, ({ lists, reward }) => (lists === 1 ? 0 : reward)),
  });
  const window = { from: 0, to: 1_200_000 };
  const models = ['a', 'b', 'c'];
  let valued = 0;
  fc.assert(
    fc.property(fc.array(row, { minLength: 20, maxLength: 200 }), plan, (rows, own) => {
      const { partitions, processes } = own;
      const parts = Array.from({ length: partitions }, (_, p) => [
        served(rows.filter(({ user }) => user % partitions === p)),
      ]);
      const one = finish(onPolicyReport(parts, models, window, 2, ALONE));
      valued += one.values.length;
      const log: Log = new Map();
      const works = Array.from({ length: processes }, (_, w) => {
        const has = [...parts.keys()].filter((p) => p % processes === w);
        const rounds = loggedRounds(has, partitions, log, NAMES);
        const its = has.map((p) => parts[p]);
        return onPolicyReport(its, models, window, 2, rounds);
      });
      for (const found of together(works)) expect(found).toEqual(one);
      const whole = finish(onPolicyReport([[served(rows)]], models, window, 2, ALONE));
      expect(differences(one, whole, 1e-12)).toEqual([]);
    }),
  );
  expect(valued).toBeGreaterThan(20);
});
