import { foldsOf } from '../../src/commands/train/cross-validate.js';
import type { Factors } from '../../src/commands/train/factors.js';
import { evenWeights, FACTOR_DEFAULTS, fitFactors } from '../../src/commands/train/fit-factors.js';
import { chosenRatings, type Ratings } from '../../src/commands/train/rating-rows.js';
import { coatProblem } from './coat-learning.js';

/** One of two halves is learned from. */
const HALVES = 2;

/** MF-naive and MF-IPS learned from a half of what users of Coat chose to rate. */
export interface CoatHalves {
  /** The other half, and the propensity of each of its ratings. */
  readonly held: Ratings;
  readonly propensity: Float64Array;
  /** What users were asked to rate at random. */
  readonly random: Ratings;
  readonly naive: Factors;
  readonly ips: Factors;
}

const made = new Map<number, CoatHalves>();
/** Learned once for each seed. */
export function coatHalves(seed: number): CoatHalves {
  const halves = made.get(seed) ?? learnedHalves(seed);
  made.set(seed, halves);
  return halves;
}

function learnedHalves(seed: number): CoatHalves {
  const { train, test, shipped } = coatProblem();
  const half = foldsOf(train, HALVES, seed);
  const all = Int32Array.from(half.keys());
  const part = (fold: number) => all.filter((r) => half[r] === fold);
  const [learned, held] = [part(0), part(1)].map((r) => chosenRatings(train, r));
  const weight = Float64Array.from(part(0), (r) => shipped[r] * HALVES);
  const propensity = Float64Array.from(part(1), (r) => 1 / (shipped[r] * HALVES));
  const factorsOf = (weights: Float64Array) =>
    fitFactors(learned, weights, { ...FACTOR_DEFAULTS, size: 20, lambda: 1e-3, seed }).factors;
  return {
    held,
    propensity,
    random: test,
    naive: factorsOf(evenWeights(learned)),
    ips: factorsOf(weight),
  };
}
