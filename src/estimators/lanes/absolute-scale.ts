import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { isAbove } from '../mathematics/edges.js';
import type { EstimateOptions } from '../options.js';
import { propensityExponent } from '../propensity/power-law.js';
import { SCALES, type ScaleName } from '../results/scale-report.js';
import type { RandomizedTraffic } from '../results/window-estimates.js';
import type { AbsoluteScale } from './scale.js';
import type { ItemColumns } from './selection.js';
import { stratumCells } from './stratum-cells.js';

/**
 * Logged propensities are used only if at least this share of the rows has one; the other rows are
 * then left out.
 */
const LOGGED_AT_LEAST = 0.95;

/** Scale from one source, or the reason why that source is not available. */
type Attempt = Omit<AbsoluteScale, 'report'> | string;

/**
 * Find propensities of a window as probabilities, from the best source available.
 *
 * logged: P_ui as given by the events; randomized: P_i = c n_i^β, with c such that Σ 1/P over the
 * organic positive rows is the number of relevant pairs U I θ, θ the share of the items shown at
 * random with a positive interaction; reach: users who were shown i / users who were shown
 * anything;
 * relative: (n_i / n_max)^β. No propensity exceeds 1.
 * Source: Schnabel et al. 2016, section 4 (propensities need a random sample or a log); the order
 * of the sources is ours.
 * Bias: logged and reach are probabilities of being shown, and assume that users find every
 * relevant item they are shown. A relative scale gives the shape of the propensities, not their
 * level.
 *
 * @param part organic rows.
 * @returns null if no source is available: no item has a count.
 */
export function absoluteScale(
  { part, counts, columns, options }: ScaledRows,
  randomized: RandomizedTraffic,
): AbsoluteScale | null {
  const positives = organicPositives(part, columns);
  const loggedShare = positives.logged / positives.rows;
  const attempts: Record<ScaleName, () => Attempt> = {
    logged: () => fromLog(loggedShare),
    randomized: () => fromRandomized(columns, positives, randomized, options),
    reach: () => fromReach(part, counts, options),
    relative: () => fromCounts(counts, columns, propensityExponent(options.gamma)),
  };
  const passedOver: {
    scale: ScaleName;
    reason: string;
  }[] = [];
  for (const scale of SCALES) {
    const found = attempts[scale]();
    if (typeof found !== 'string') {
      return {
        ...found,
        report: {
          scale,
          passedOver,
          loggedShare,
        },
      };
    }
    passedOver.push({
      scale,
      reason: found,
    });
  }
  return null;
}

/** Rows, counts and columns from which propensities as probabilities are computed. */
interface ScaledRows {
  readonly part: WindowPart;
  readonly counts: ItemTotals;
  readonly columns: ItemColumns;
  readonly options: EstimateOptions;
}

interface Positives {
  readonly rows: number;
  readonly logged: number;
  /** U, users with an organic positive row. */
  readonly users: number;
  /** Σ w over the organic positive rows, with w the importance weight of a row. */
  readonly weight: number;
  /** Σ ∂w/∂γ over the organic positive rows. */
  readonly weightSlope: number;
}

function organicPositives(
  { users: segments, userStart, item, positive, propensity }: WindowPart,
  columns: ItemColumns,
): Positives {
  const cells = stratumCells(columns);
  const byCell = new Float64Array(cells.weight.length);
  let rows = 0;
  let logged = 0;
  let users = 0;
  for (let s = 0; s < segments; s++) {
    const before = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (positive[r] === 0 || columns.weight[item[r]] === 0) continue;
      rows++;
      byCell[cells.ofItem[item[r]]]++;
      if (propensity !== undefined && propensity[r] > 0) {
        logged++;
      }
    }
    if (rows > before) {
      users++;
    }
  }
  let weight = 0;
  let weightSlope = 0;
  for (let cell = 0; cell < byCell.length; cell++) {
    weight += byCell[cell] * cells.weight[cell];
    weightSlope += byCell[cell] * cells.slope[cell];
  }
  return {
    rows,
    logged,
    users,
    weight,
    weightSlope,
  };
}

function fromLog(share: number): Attempt {
  if (share >= LOGGED_AT_LEAST) {
    return {
      inverse: null,
      slope: null,
    };
  }
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

/**
 * Propensity of each item: the share of users who were shown the item, among users who were shown
 * any list.
 */
function fromReach(
  { reach }: WindowPart,
  { items }: ItemTotals,
  { noReach, cold, smoothing }: EstimateOptions,
): Attempt {
  if (noReach !== undefined) return noReach;
  if (reach === undefined) return 'not all lists are known';
  if (reach.users === 0) return 'no list was shown in the window';
  const inverse = new Float64Array(items);
  for (let i = 0; i < items; i++) {
    let reached = reach.items[i];
    // An item in no shown list was found elsewhere, and counts as rare as an item without a count.
    if (reached === 0 && cold === 'smooth') {
      reached = smoothing;
    }
    inverse[i] = reached === 0 ? 0 : reach.users / reached;
  }
  return {
    inverse,
    slope: null,
  };
}

function fromCounts(
  { popularity, items }: ItemTotals,
  columns: ItemColumns,
  beta: number,
): Attempt {
  let most = 0;
  for (let i = 0; i < items; i++) {
    most = Math.max(most, popularity[i]);
  }
  if (most === 0) return 'no item has a count';
  const scale = most ** beta;
  return scaled(columns, scale, 0.5 * scale * Math.log(most));
}

/**
 * Inverse propensities 1 / P = max(1, s w) of items with weight w on scale s, and their slopes in
 * γ; 0 if the weight is 0.
 */
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
