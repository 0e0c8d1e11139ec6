import { weightSummary } from '../../sampling/sample-distance.js';
import { concentration } from '../../state/counts/levels.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { interventionOf } from '../registry/registry.js';
import type {
  InterventionSummary,
  ItemConcentration,
  MarginDistance,
} from '../results/intervention-summary.js';
import type { DrawMargins, Margins } from './draw-margins.js';
import type { PreparedIntervention } from './interventions.js';
import { weightQuantiles } from './weight-quantiles.js';

/**
 * Summary of an intervention on one window: its weights, and rows before and after it.
 *
 * margins: ½ Σ_u |share_u − target_u|, and the same over items; kl = ln M − entropy over a
 * catalogue of M items; the sample as expected, with π for every row.
 * Source: Carraro & Bridge 2020, eqs. 11 and 12 (margins). O(rows), yielding between slices.
 *
 * @param catalogueSize M. @returns zeros in a window without rows.
 */
export function* interventionSummary(
  { name, sides, cells, time }: PreparedIntervention,
  { users, items }: DrawMargins,
  parts: readonly WindowPart[],
  counts: ItemTotals,
  catalogueSize: number,
): Generator<void, InterventionSummary> {
  const { itemSide, userSides, raking } = sides;
  const weights = yield* weightSummary(cells, time);
  const { weights: rule } = interventionOf(name);
  const isTargeted = rule !== 'raked' && rule.isTargeted === true;
  const userTargets = isTargeted ? parts.map((part) => part.userRandomized) : null;
  const user = marginDistance(users, userTargets);
  const item = marginDistance([items], isTargeted ? [counts.randomized] : null);
  yield;
  const usedItems = itemSide.map((side, i) => (items.before[i] > 0 ? side : 0));
  return {
    ...weights,
    estimator: name,
    userWeights: userSides === null ? [] : yield* weightQuantiles([...userSides.values()]),
    itemWeights: yield* weightQuantiles([usedItems]),
    margins: { user, item },
    before: itemConcentration(items.before, catalogueSize),
    sample: itemConcentration(items.sample, catalogueSize),
    ...(raking === undefined ? {} : { raking }),
  };
}

/** @param targets shares aimed at, up to a factor; null for uniform over those with a row. */
function marginDistance(
  margins: readonly Margins[],
  targets: readonly Float64Array[] | null,
): MarginDistance {
  const aims = targets ?? margins.map(({ before }) => before.map((rows) => (rows > 0 ? 1 : 0)));
  const aimed = sumOf(aims);
  const distance = (columns: readonly Float64Array[]) =>
    totalVariation(columns, sumOf(columns), aims, aimed);
  return {
    before: distance(margins.map(({ before }) => before)),
    weights: distance(margins.map(({ weights }) => weights)),
    sample: distance(margins.map(({ sample }) => sample)),
  };
}

/** ½ Σ |x / Σ x − y / Σ y|; 0 where either holds nothing. */
function totalVariation(
  columns: readonly Float64Array[],
  total: number,
  aims: readonly Float64Array[],
  aimed: number,
): number {
  if (!(total > 0) || !(aimed > 0)) return 0;
  let sum = 0;
  for (let p = 0; p < columns.length; p++) {
    const column = columns[p];
    const aim = aims[p];
    for (let j = 0; j < column.length; j++) sum += Math.abs(column[j] / total - aim[j] / aimed);
  }
  return sum / 2;
}

function sumOf(columns: readonly Float64Array[]): number {
  let sum = 0;
  for (const column of columns) for (let j = 0; j < column.length; j++) sum += column[j];
  return sum;
}

function itemConcentration(rows: Float64Array, catalogueSize: number): ItemConcentration {
  const { gini, entropy, coverage, total } = concentration(rows, rows.length, catalogueSize);
  if (total === 0) return { rows: 0, gini: 0, kl: 0 };
  const seen = rows.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  return { rows: total, gini, kl: Math.max(0, Math.log(seen / coverage) - entropy) };
}
