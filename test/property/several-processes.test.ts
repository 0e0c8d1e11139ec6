import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { Rounds } from '../../src/estimators/partitions/rounds.js';
import { ESTIMATORS } from '../../src/estimators/registry/registry.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import { estimateWindow } from '../../src/estimators/window/estimate-window.js';
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
import { repetitions } from '../support/repetitions.js';

type Estimates = WindowEstimates;

/** Bytes by round and partition: all that processes know of each other. */
type Log = Map<string, Uint8Array>;

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
    return {
      ...part,
      item: item.map((i) => numberOf[i]),
      ...(reach && {
        reach: { ...reach, items: renumbered(reach.items.subarray(0, counts.items)) },
      }),
    };
  });
  let round = 0;
  const rounds: Rounds = {
    names: {
      textOf: (item) => window.ids[itemOf[item]],
      itemOf: (text) => numberOf[window.ids.indexOf(text)],
    },
    *gather(into, given, fill) {
      const name = round++;
      for (const [at, part] of given.entries()) {
        const sums = into.ofOthers();
        yield* fill(sums, part);
        log.set(`${name} ${partitions[at]}`, sums.encode());
      }
      for (let p = 0; p < parts.length; p++) {
        while (!log.has(`${name} ${p}`)) yield;
        into.merge(into.decode(log.get(`${name} ${p}`)!));
      }
      return into;
    },
  };
  return yield* estimateWindow(ownParts, own, window.models, options, 3, undefined, rounds);
}

/** All processes at once, one step of each in turn. */
function together(works: readonly Generator<void, Estimates>[]): Estimates[] {
  const found = new Map<number, Estimates>();
  for (let turn = 0; turn < 100_000 && found.size < works.length; turn++) {
    for (const [w, work] of works.entries()) {
      if (found.has(w)) continue;
      const step = work.next();
      if (step.done) found.set(w, step.value);
    }
  }
  expect(found.size, 'processes that came to an end').toBe(works.length);
  return works.map((_, w) => found.get(w)!);
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
    fc.property(plainWindow(), CAUSES, OPTIONS, plan, (plain, causes, given, own) => {
      const window = withCauses(plain, causes);
      const options = { ...ASKED, ...given };
      const { partitions, processes } = own;
      const parts = windowParts(window, (u) => own.partitionOf[u] % partitions, partitions);
      const counts = toCounts(window);
      const one = finish(estimateWindow(parts, counts, window.models, options));
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
      const whole = windowParts(window, () => 0, 1);
      const undivided = finish(estimateWindow(whole, counts, window.models, options));
      expect(differences(one, undivided, 1e-9)).toEqual([]);
    }),
    { numRuns: repetitions(8, 400) },
  );
});
