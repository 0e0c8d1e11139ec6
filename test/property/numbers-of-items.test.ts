import fc from 'fast-check';
import { expect, it } from 'vitest';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { withItemGroups } from '../../src/estimators/segments/built-in-axes.js';
import { withSegmentAxes } from '../../src/estimators/segments/segment-axes.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import type { ItemCounts, WindowPart } from '../../src/state/panes/window-part.js';
import { plainWindow } from '../oracle/arbitrary.js';
import {
  DEFAULTS,
  type PlainRow,
  type PlainWindow,
  toCounts,
  windowPart,
} from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** By segments too, if rows say something of any. */
function estimated(
  part: WindowPart,
  counts: ItemCounts,
  models: readonly string[],
  asked: EstimateOptions,
): WindowEstimates {
  const byValue = withSegmentAxes(part, { values: 2, minUsers: 2 });
  const divided = withItemGroups(byValue, part, counts.popularity, 2);
  const options = divided === null ? asked : { ...asked, segments: divided.axes };
  return estimateWindow({
    part: divided?.part ?? part,
    counts,
    models,
    options,
  });
}

/** Counts by other numbers of items. @param itemOf by new number, the one before */
function renumberedCounts(counts: ItemCounts, itemOf: readonly number[]): ItemCounts {
  const renumbered = (column: Float64Array) => Float64Array.from(itemOf, (item) => column[item]);
  return {
    items: counts.items,
    popularity: renumbered(counts.popularity),
    interactions: renumbered(counts.interactions),
    randomized: renumbered(counts.randomized),
    itemKey: (item) => counts.itemKey!(itemOf[item]),
    compareIds: (a, b) => counts.compareIds(itemOf[a], itemOf[b]),
  };
}

function renumberedRows(part: WindowPart, itemOf: readonly number[]): WindowPart {
  const { reach } = part;
  return {
    ...part,
    item: part.item.map((item) => itemOf.indexOf(item)),
    ...(reach && {
      reach: { ...reach, items: Float64Array.from(itemOf, (item) => reach.items[item]) },
    }),
  };
}

/** Rows by values that follow from them, which have numbers of their own. */
function withValues(part: WindowPart, values: readonly string[]): WindowPart {
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
});

const ASKED: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['recall', 'dcg', 'auc', 'ndcg'],
  ks: [2],
  // Raked weights go by the order of items: they are solved for, in sweeps.
  estimators: ESTIMATORS.filter((name) => name !== 'wtd_ipf'),
  guarantees: GUARANTEES,
};

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

const ITEMS = [...Array(12).keys()];

it('estimates are identical if a restart renumbers items and values', () => {
  fc.assert(
    fc.property(
      plainWindow(),
      CAUSES,
      OPTIONS,
      fc.shuffledSubarray(ITEMS, { minLength: 12 }),
      fc.boolean(),
      (plain, causes, given, itemOf, isDivided) => {
        const window = withCauses(plain, causes);
        const options = { ...ASKED, ...given };
        const counts = toCounts(window);
        const divided = (values: readonly string[]) => {
          const part = windowPart(window);
          return isDivided ? withValues(part, values) : part;
        };
        const before = divided(['a', 'b', 'c', 'd']);
        const after = renumberedRows(divided(['d', 'c', 'b', 'a']), itemOf);
        const others = renumberedCounts(counts, itemOf);
        expect(estimated(after, others, window.models, options)).toEqual(
          estimated(before, counts, window.models, options),
        );
      },
    ),
    { numRuns: repetitions(10, 200) },
  );
});
