import type { SimulationOptions } from './options.js';
import type { World } from './world.js';

/** Largest probability that a served list causes a click on a relevant examined item. */
const STRONGEST_ATTRACTION = 0.8;

/** A list that may be served to a user. */
export interface ServedList {
  readonly user: number;
  readonly list: ArrayLike<number>;
}

/**
 * How likely a served list causes a click, so that a given share of the positive interactions is
 * caused by lists.
 *
 * A session first finds relevant items by itself, item i with probability τ P_i. What it has not
 * found so is clicked where it stands in the served list at place k, with probability α θ_k. With
 * G = mean Σ_{i∈S_u} P_i, H = mean Σ_k θ_k 1{L_k ∈ S_u} and J the same sum with the factor P_i,
 * the share is s = α (H − τJ) / (α (H − τJ) + τ G): α = s G / ((1 − s)(H − J)) at τ = 1, and where
 * that exceeds .8, α = .8 with τ = α (1 − s) H / (s G + α (1 − s) J).
 *
 * So organic interactions do not depend on the lists, except for the common factor τ.
 */
export interface Causation {
  /** α, the click probability of a relevant examined item. */
  readonly attraction: number;
  /** τ, the factor of organic interactions. */
  readonly ownInitiative: number;
  /** θ by position. */
  readonly examination: Float64Array;
}

/** @param lists a sample of the served lists. */
export function causation(
  world: World,
  options: SimulationOptions,
  lists: Iterable<ServedList>,
): Causation {
  const share = options.causedShare ?? 0;
  const theta = examination(options);
  if (share === 0) {
    return {
      attraction: 0,
      ownInitiative: 1,
      examination: theta,
    };
  }
  const found = foundPerSession(world);
  const { looked, lookedAndFound } = lookedAt(world, theta, lists);
  // Lists without a relevant item cause nothing, however strongly they attract.
  if (looked === 0) {
    return {
      attraction: 0,
      ownInitiative: 1,
      examination: theta,
    };
  }
  const attraction = (share * found) / ((1 - share) * (looked - lookedAndFound));
  if (share < 1 && attraction <= STRONGEST_ATTRACTION) {
    return {
      attraction,
      ownInitiative: 1,
      examination: theta,
    };
  }
  const rest = STRONGEST_ATTRACTION * (1 - share);
  const ownInitiative = (rest * looked) / (share * found + rest * lookedAndFound);
  return {
    attraction: STRONGEST_ATTRACTION,
    ownInitiative,
    examination: theta,
  };
}

/** G: relevant items that a session finds organically. */
function foundPerSession({ relevant, propensity }: World): number {
  let sum = 0;
  for (const own of relevant) {
    for (const item of own) {
      sum += propensity[item];
    }
  }
  return sum / relevant.length;
}

/** H and J: relevant items examined in a served list, and those of them found organically. */
function lookedAt(world: World, theta: Float64Array, lists: Iterable<ServedList>) {
  let served = 0;
  let looked = 0;
  let lookedAndFound = 0;
  for (const { user, list } of lists) {
    served++;
    const own = new Set(world.relevant[user]);
    for (let k = 0; k < Math.min(list.length, theta.length); k++) {
      if (!own.has(list[k])) continue;
      looked += theta[k];
      lookedAndFound += theta[k] * world.propensity[list[k]];
    }
  }
  if (served === 0) return { looked, lookedAndFound };
  return {
    looked: looked / served,
    lookedAndFound: lookedAndFound / served,
  };
}

/**
 * θ_k for each visible position: its examination probability relative to the first position's. A
 * flat curve means that every position is examined; positions after the end of the curve never are.
 */
export function examination({
  examination: curve = 'flat',
  shownLength,
}: Pick<SimulationOptions, 'examination' | 'shownLength'>): Float64Array {
  return Float64Array.from({ length: shownLength }, (_, k) =>
    curve === 'flat' ? 1 : (curve[k] ?? 0),
  );
}
