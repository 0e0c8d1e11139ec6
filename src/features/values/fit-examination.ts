import { choleskyInverse, type SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import {
  type ChosenPattern,
  clusterScores,
  type Likelihood,
  likelihoodAt,
} from './rank-likelihood.js';
import type { RankPatterns } from './rank-patterns.js';

/** Estimated examination probability of each rank, with its precision. */
export interface Examination {
  /** θ by rank, θ_0 = 1; NaN if clicks do not compare the rank with the first. */
  readonly theta: Float64Array;
  /** Covariance of log θ, clustered; 0 for rank 0, NaN if θ is. */
  readonly covariance: SquareMatrix;
  /** Largest standard error of log θ; Infinity if a rank is not identified. */
  readonly largestStdErr: number;
  /** Number of leading ranks that are identified. */
  readonly identified: number;
  readonly clicks: number;
}

const MAX_STEPS = 100;
const TOLERANCE = 1e-13;

/**
 * Fit examination by rank to clicks on items that randomisation could have placed at several ranks.
 *
 * P(rank k | click) = θ_k p_k / Σ_j θ_j p_j; maximum likelihood in log θ by Newton's method, over
 * the ranks that are identified. Covariance H⁻¹ (Σ_u S_u S_uᵀ) H⁻¹, H the information, S_u the
 * score of a cluster.
 *
 * **Source**: conditional logit (McFadden 1974); examination from interventions on ranks (Agarwal
 * et al., WSDM 2019), here with all ranks at once. Consistent if an item's click depends on the
 * list only through its rank. O(patterns · ranks²) a step.
 *
 * @param patterns clicks; see `clickedRanks`.
 * @returns θ of NaN beyond rank 0 without clicks.
 */
export function fitExamination(patterns: RankPatterns): Examination {
  const isIdentified = identifiedRanks(patterns);
  const used = [...isIdentified.keys()].filter((k) => isIdentified[k] === 1);
  const chosen = chosenAmong(patterns, used);
  const logTheta = maximum(chosen, used.length);
  const inverse = choleskyInverse(likelihoodAt(chosen, logTheta).information);
  const scores = clusterScores(patterns, chosen, used, logTheta);
  const own = inverse === undefined ? undefined : sandwich(inverse, scores);
  return examinationOf(patterns, used, logTheta, own);
}

/** Patterns restricted to some ranks. */
function chosenAmong({ chances, clicks }: RankPatterns, used: readonly number[]): ChosenPattern[] {
  return chances.map((chance, p) => {
    const own = used.map((k, i) => ({
      i,
      chance: chance[k],
      clicks: clicks[p][k],
    }));
    const possible = own.filter((each) => each.chance > 0);
    return {
      places: Int32Array.from(possible.map(({ i }) => i)),
      chances: Float64Array.from(possible.map((each) => each.chance)),
      clicks: Float64Array.from(possible.map((each) => each.clicks)),
    };
  });
}

function maximum(chosen: readonly ChosenPattern[], ranks: number): Float64Array {
  let logTheta = new Float64Array(ranks);
  let at = likelihoodAt(chosen, logTheta);
  for (let step = 0; step < MAX_STEPS; step++) {
    const move = newtonMove(at);
    if (move === undefined) break;
    let scale = 1;
    let next = moved(logTheta, move, scale);
    let then = likelihoodAt(chosen, next);
    // The likelihood is concave, so halving the step until it rises finds the maximum.
    while (!(then.value >= at.value - TOLERANCE * Math.abs(at.value)) && scale > TOLERANCE) {
      scale /= 2;
      next = moved(logTheta, move, scale);
      then = likelihoodAt(chosen, next);
    }
    logTheta = next;
    at = then;
    if (Math.max(...move.map(Math.abs)) * scale <= TOLERANCE) break;
  }
  return logTheta;
}

/** Newton step H⁻¹ S for all ranks but the first; undefined if there is nothing to fit. */
function newtonMove({ score, information }: Likelihood): Float64Array | undefined {
  const inverse = choleskyInverse(information);
  if (information.size === 0 || inverse === undefined) return undefined;
  return Float64Array.from({ length: information.size }, (_, k) =>
    score.reduce((sum, each, j) => sum + inverse.values[k * information.size + j] * each, 0),
  );
}

function moved(
  logTheta: Float64Array,
  move: Float64Array,
  scale: number,
): Float64Array<ArrayBuffer> {
  return Float64Array.from(logTheta, (each, k) => (k === 0 ? 0 : each + scale * move[k - 1]));
}

function sandwich({ size, values }: SquareMatrix, scores: readonly Float64Array[]): Float64Array {
  const covariance = new Float64Array(size * size);
  for (const score of scores) {
    const move = Float64Array.from({ length: size }, (_, k) =>
      score.reduce((sum, each, j) => sum + values[k * size + j] * each, 0),
    );
    for (let k = 0; k < size; k++) {
      for (let j = 0; j < size; j++) {
        covariance[k * size + j] += move[k] * move[j];
      }
    }
  }
  return covariance;
}

function examinationOf(
  patterns: RankPatterns,
  used: readonly number[],
  logTheta: Float64Array,
  covariance: Float64Array | undefined,
): Examination {
  const { ranks } = patterns;
  const theta = new Float64Array(ranks).fill(Number.NaN);
  const values = new Float64Array(ranks * ranks).fill(Number.NaN);
  let largestStdErr = used.length < ranks ? Number.POSITIVE_INFINITY : 0;
  for (const [i, k] of used.entries()) {
    theta[k] = Math.exp(logTheta[i]);
    for (const [j, l] of used.entries()) {
      const isFirst = i === 0 || j === 0;
      values[k * ranks + l] = isFirst
        ? 0
        : (covariance?.[(i - 1) * (used.length - 1) + j - 1] ?? Number.NaN);
    }
    if (i > 0) {
      largestStdErr = Math.max(largestStdErr, Math.sqrt(values[k * ranks + k]));
    }
  }
  const gap = used.findIndex((k, i) => k !== i);
  return {
    theta,
    covariance: {
      size: ranks,
      values,
    },
    largestStdErr,
    identified: gap < 0 ? used.length : gap,
    clicks: [...patterns.clicksOf.values()].reduce((sum, each) => sum + each, 0),
  };
}

/**
 * Ranks whose examination relative to the first position is identified by clicks.
 *
 * Rank k is preferred to rank j if an item that could be at both was clicked at k. The likelihood
 * has a maximum over the ranks connected to rank 0 by such preferences in both directions.
 *
 * **Source**: L. R. Ford, Solution of a ranking problem from binary comparisons, 1957.
 * O(patterns · ranks²).
 *
 * @returns by rank, 1 if it is identified; rank 0 always is.
 */
function identifiedRanks({ ranks, chances, clicks }: RankPatterns): Uint8Array {
  const preferred = new Uint8Array(ranks * ranks);
  for (let p = 0; p < chances.length; p++) {
    for (let k = 0; k < ranks; k++) {
      if (clicks[p][k] === 0) continue;
      for (let j = 0; j < ranks; j++) {
        if (chances[p][j] > 0) {
          preferred[k * ranks + j] = 1;
        }
      }
    }
  }
  const down = reached(ranks, (k, j) => preferred[k * ranks + j] === 1);
  const up = reached(ranks, (k, j) => preferred[j * ranks + k] === 1);
  return down.map((isReached, k) => (isReached === 1 && up[k] === 1 ? 1 : 0));
}

/** Ranks that can be reached from rank 0. */
function reached(ranks: number, leads: (from: number, to: number) => boolean): Uint8Array {
  const seen = new Uint8Array(ranks);
  const open = [0];
  seen[0] = 1;
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (let to = 0; to < ranks; to++) {
      if (seen[to] === 1 || !leads(from, to)) continue;
      seen[to] = 1;
      open.push(to);
    }
  }
  return seen;
}
