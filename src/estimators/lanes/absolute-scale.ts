import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { isAbove } from '../mathematics/edges.js';
import type { EstimateOptions } from '../options.js';
import { ItemSums } from '../partitions/item-sums.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import { propensityExponent } from '../propensity/power-law.js';
import { SCALES, type ScaleName } from '../results/scale-report.js';
import type { RandomizedTraffic } from '../results/window-estimates.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';
import { stratumCells } from './stratum-cells.js';

/** A few rows were found outside of what was logged; they are left out. More than these, and it is not used. */
const LOGGED_AT_LEAST = 0.95;

type Attempt = Omit<AbsoluteScale, 'report'> | string;

/**
 * Finds the propensities of a window as probabilities, from the best source that it has.
 *
 * logged: what the events say, P_ui; randomized: P_i = c n_i^β, c such that Σ 1/P over the organic
 * positive rows is the number of relevant pairs U I θ, θ the share of the items shown at random
 * that were found positive; reach: users who were shown i / users who were shown anything;
 * relative: (n_i / n_max)^β. None exceeds 1.
 * Source: Schnabel et al. 2016, section 4 (propensities need a sample at random or a log); the
 * scales in this order are ours.
 * Bias: logged and reach are chances to be shown, and take it that what is relevant and shown is
 * found; a relative scale has no claim to its level, only to its shape.
 *
 * @param parts organic rows. @param users U, organic users with a positive row.
 * @returns null if no source gives anything: no item has a count.
 */
export function* absoluteScale(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  columns: ItemColumns,
  randomized: RandomizedTraffic,
  options: EstimateOptions,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, AbsoluteScale | null> {
  const positives = yield* organicPositives(parts, columns, sliceRows, rounds);
  const reach = yield* reachOf(parts, counts, options, rounds);
  const loggedShare = positives.logged / positives.rows;
  const attempts: Record<ScaleName, () => Attempt> = {
    logged: () => fromLog(loggedShare),
    randomized: () => fromRandomized(columns, positives, randomized, options),
    reach: () => fromReach(reach, options),
    relative: () => fromCounts(counts, columns, propensityExponent(options.gamma)),
  };
  const passedOver: { scale: ScaleName; reason: string }[] = [];
  for (const scale of SCALES) {
    const found = attempts[scale]();
    yield;
    if (typeof found !== 'string') {
      return { ...found, report: { scale, passedOver, loggedShare } };
    }
    passedOver.push({ scale, reason: found });
  }
  return null;
}

interface Positives {
  readonly rows: number;
  readonly logged: number;
  readonly users: number;
  /** Σ w and Σ ∂w/∂γ over them. */
  readonly weight: number;
  readonly weightSlope: number;
}

function* organicPositives(
  parts: readonly WindowPart[],
  columns: ItemColumns,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, Positives> {
  const cells = yield* stratumCells(columns);
  yield;
  const none = new NumberSums(3 + cells.weight.length);
  const { values } = yield* rounds.gather(none, parts, (sums, part) =>
    countPositives(part, columns.weight, cells.ofItem, sliceRows, sums.values),
  );
  let weight = 0;
  let weightSlope = 0;
  for (let cell = 0; cell < cells.weight.length; cell++) {
    weight += values[3 + cell] * cells.weight[cell];
    weightSlope += values[3 + cell] * cells.slope[cell];
  }
  return { rows: values[0], logged: values[1], users: values[2], weight, weightSlope };
}

/** Rows, logged rows, users and then rows by cell. */
function* countPositives(
  { users: segments, userStart, item, positive, propensity }: WindowPart,
  weight: Float64Array,
  cellOf: Int32Array,
  sliceRows: number,
  into: Float64Array,
): Generator<void, void> {
  let rows = 0;
  let logged = 0;
  let users = 0;
  let work = 0;
  for (let s = 0; s < segments; s++) {
    const before = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (positive[r] === 0 || weight[item[r]] === 0) continue;
      rows++;
      into[3 + cellOf[item[r]]]++;
      if (propensity !== undefined && propensity[r] > 0) logged++;
    }
    if (rows > before) users++;
    work += userStart[s + 1] - userStart[s];
    if (work < sliceRows) continue;
    work = 0;
    yield;
  }
  into[0] = rows;
  into[1] = logged;
  into[2] = users;
}

function fromLog(share: number): Attempt {
  if (share >= LOGGED_AT_LEAST) return { inverse: null, slope: null };
  if (!(share > 0)) return 'no event carries a propensity';
  return `${(100 * share).toFixed(1)} % of the rows carry a propensity, fewer than 95 %`;
}

function fromRandomized(
  { weight, weightSlope }: ItemColumns,
  { weight: sum, weightSlope: slopeSum, users }: Positives,
  { positives, itemsShown }: RandomizedTraffic,
  { catalogueSize }: EstimateOptions,
): Attempt {
  if (positives === 0) return 'the window holds no positive interaction from randomised traffic';
  if (!(itemsShown > 0)) return 'not all lists of the randomised traffic are logged';
  const relevant = users * catalogueSize * (positives / itemsShown);
  const scale = relevant / sum;
  const scaleSlope = -(scale * slopeSum) / sum;
  return scaled({ weight, weightSlope }, scale, scaleSlope);
}

/** Users whom the lists of all partitions reached, by item; a reason where it is not known. */
function* reachOf(
  parts: readonly WindowPart[],
  { items }: ItemCounts,
  { noReach }: EstimateOptions,
  rounds: Rounds,
): Generator<void, { readonly users: number; readonly byItem: Float64Array } | string> {
  if (noReach !== undefined) return noReach;
  const { values } = yield* rounds.gather(new NumberSums(2), parts, function* add(sums, { reach }) {
    sums.values.set(reach === undefined ? [0, 1] : [reach.users, 0]);
    yield;
  });
  const [users, unknown] = values;
  if (unknown > 0) return 'not all lists are known';
  if (users === 0) return 'no list was shown in the window';
  const none = new ItemSums(1, items, rounds.names);
  const { columns } = yield* rounds.gather(none, parts, function* add(sums, { reach }) {
    sums.columns[0].set(reach!.items.subarray(0, items));
    yield;
  });
  return { users, byItem: columns[0] };
}

function fromReach(
  reach: { readonly users: number; readonly byItem: Float64Array } | string,
  { cold, smoothing }: EstimateOptions,
): Attempt {
  if (typeof reach === 'string') return reach;
  const { users, byItem } = reach;
  const inverse = new Float64Array(byItem.length);
  for (let i = 0; i < byItem.length; i++) {
    let reached = byItem[i];
    // An item that no list showed was found in another way: as rare as a cold one.
    if (reached === 0 && cold === 'smooth') reached = smoothing;
    inverse[i] = reached === 0 ? 0 : users / reached;
  }
  return { inverse, slope: null };
}

function fromCounts(
  { popularity, items }: ItemCounts,
  columns: ItemColumns,
  beta: number,
): Attempt {
  let most = 0;
  for (let i = 0; i < items; i++) most = Math.max(most, popularity[i]);
  if (most === 0) return 'no item has a count';
  const scale = most ** beta;
  return scaled(columns, scale, 0.5 * scale * Math.log(most));
}

/** 1 / P = max(1, s w), and its slope; 0 where the weight is. */
function scaled(
  { weight, weightSlope }: Pick<ItemColumns, 'weight' | 'weightSlope'>,
  scale: number,
  scaleSlope: number,
): Attempt {
  const inverse = weight.map((w) => (w === 0 ? 0 : Math.max(1, scale * w)));
  const slope = weight.map((w, i) =>
    isAbove(scale * w, 1) ? scale * weightSlope[i] + scaleSlope * w : 0,
  );
  return { inverse, slope };
}
