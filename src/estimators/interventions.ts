import { inclusionProbability, samplingTime } from '../sampling/expected-inclusion.js';
import { interventionWeight } from '../sampling/intervention-weights.js';
import type { ItemCounts, WindowPart } from '../state/window-part.js';
import type { EstimateOptions } from './estimate.js';
import type { Intervention } from './intervened.js';
import { levelIndex } from './level-index.js';
import { perItem } from './per-item.js';
import { weightCells } from './weight-cells.js';

/**
 * Solves for the sampling time of an intervention on one window.
 *
 * skew: w = 1 / (n_i + κ); wtd_h: w = 1 / ((n_u + κ) (n_i + κ)^p), n all interactions in the
 * popularity horizon; the sample keeps a share of the window's rows, positive or not.
 * Source: Carraro & Bridge 2020, section 4, on a uniform hypothesised MAR distribution.
 *
 * @returns the intervention; in a window without rows its time is 0. Yields between slices.
 */
export function* prepareIntervention(
  name: Intervention['name'],
  parts: readonly WindowPart[],
  counts: ItemCounts,
  options: EstimateOptions,
  sliceRows: number,
): Generator<void, Intervention> {
  const { smoothing } = options;
  const interactions = counts.interactions.subarray(0, counts.items);
  const levels = yield* levelIndex([interactions]);
  const itemLevel = yield* perItem(interactions, levels.indexOf, new Int32Array(counts.items));
  const exponent = name === 'skew' ? 1 : options.posteriorExponent;
  const sideAt = levels.counts.map((n) => interventionWeight(n, smoothing, exponent));
  const userSide = name === 'skew' ? () => 1 : (n: number) => interventionWeight(n, smoothing, 1);
  const users =
    name === 'skew' ? null : yield* levelIndex(parts.map((p) => p.userCount.subarray(0, p.users)));
  const weightOf = (userLevel: number, level: number) =>
    (users === null ? 1 : userSide(users.counts[userLevel])) * sideAt[level];
  const cells = yield* weightCells(parts, users, itemLevel, sideAt.length, weightOf, sliceRows);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const time = yield* samplingTime(cells, options.sampleShare * rows);
  const sideOf = (n: number) => sideAt[levels.indexOf(n)];
  const itemSide = yield* perItem(interactions, sideOf, new Float64Array(counts.items));
  if (name === 'wtd_h') return { name, userSide, itemSide, time };
  const chanceAt = sideAt.map((weight) => inclusionProbability(weight, time));
  const chanceOf = (n: number) => chanceAt[levels.indexOf(n)];
  return { name, itemChance: yield* perItem(interactions, chanceOf, itemSide) };
}
