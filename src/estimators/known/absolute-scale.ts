import { isAbove } from '../../mathematics/edges.js';
import { propensityExponent } from '../../propensity/power-law.js';
import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import type { RandomizedTraffic } from '../results/randomized-traffic.js';
import { SCALES, type ScaleName } from '../results/scale-report.js';
import type { ItemColumns } from '../rows/selection.js';
import type { AbsoluteScale } from './scale.js';

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
): Generator<void, AbsoluteScale | null> {
  const positives = yield* organicPositives(parts, columns.weight, sliceRows);
  const loggedShare = positives.logged / positives.rows;
  const attempts: Record<ScaleName, () => Attempt> = {
    logged: () => fromLog(loggedShare),
    randomized: () => fromRandomized(columns, positives, randomized, options),
    reach: () => fromReach(parts, counts, options),
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
  /** Per item. */
  readonly byItem: Float64Array;
}

function* organicPositives(
  parts: readonly WindowPart[],
  weight: Float64Array,
  sliceRows: number,
): Generator<void, Positives> {
  const byItem = new Float64Array(weight.length);
  let [rows, logged, users, work] = [0, 0, 0, 0];
  for (const { users: segments, userStart, item, positive, propensity } of parts) {
    for (let s = 0; s < segments; s++) {
      const before = rows;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0 || weight[item[r]] === 0) continue;
        rows++;
        byItem[item[r]]++;
        if (propensity !== undefined && propensity[r] > 0) logged++;
      }
      if (rows > before) users++;
      work += userStart[s + 1] - userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  return { rows, logged, users, byItem };
}

function fromLog(share: number): Attempt {
  if (share >= LOGGED_AT_LEAST) return { inverse: null, slope: null };
  if (!(share > 0)) return 'no event carries a propensity';
  return `${(100 * share).toFixed(1)} % of the rows carry a propensity, fewer than 95 %`;
}

function fromRandomized(
  { weight, weightSlope }: ItemColumns,
  { byItem, users }: Positives,
  { positives, itemsShown }: RandomizedTraffic,
  { catalogueSize }: EstimateOptions,
): Attempt {
  if (positives === 0) return 'the window holds no positive interaction from randomised traffic';
  if (!(itemsShown > 0)) return 'not all lists of the randomised traffic are logged';
  const relevant = users * catalogueSize * (positives / itemsShown);
  let sum = 0;
  let slopeSum = 0;
  for (let i = 0; i < weight.length; i++) {
    sum += byItem[i] * weight[i];
    slopeSum += byItem[i] * weightSlope[i];
  }
  const scale = relevant / sum;
  const scaleSlope = -(scale * slopeSum) / sum;
  return scaled({ weight, weightSlope }, scale, scaleSlope);
}

function fromReach(
  parts: readonly WindowPart[],
  { items }: ItemCounts,
  { cold, smoothing, noReach }: EstimateOptions,
): Attempt {
  if (noReach !== undefined) return noReach;
  if (parts.some(({ reach }) => reach === undefined)) return 'not all lists are known';
  const users = parts.reduce((sum, { reach }) => sum + reach!.users, 0);
  if (users === 0) return 'no list was shown in the window';
  const inverse = new Float64Array(items);
  for (let i = 0; i < items; i++) {
    let reached = 0;
    for (const { reach } of parts) reached += reach!.items[i];
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
