import type { SimulationOptions } from './options.js';
import type { World } from './world.js';

/** Largest click probability α of a relevant examined item in a served list. */
const STRONGEST_ATTRACTION = 0.8;

/** A list that may be served to a user: item indices, best first. */
export interface ServedList {
  readonly user: number;
  readonly list: ArrayLike<number>;
}

/**
 * Click model of served lists, scaled so that lists drive a given share s of the positive
 * interactions.
 *
 * A session first has organic interactions: relevant item i with probability τ P_i. A relevant item
 * at position k of the served list that was not found organically is then clicked with probability
 * α θ_k. Let S_u be the relevant items of
 * user u, and L the served list. With G = mean Σ_{i∈S_u} P_i, H = mean Σ_k θ_k 1{L_k ∈ S_u} and J,
 * the same sum as H with the factor P_i, the share is s = α (H − τJ) / (α (H − τJ) + τ G). At τ = 1
 * this gives α = s G / ((1 − s)(H − J)). If that exceeds .8, then α = .8 and τ = α (1 − s) H / (s G
 * + α (1 − s) J).
 *
 * So organic interactions do not depend on the lists, except for the common factor τ.
 */
export interface Causation {
  /** α, click probability of a relevant examined item that was not found organically. */
  readonly attraction: number;
  /** τ ≤ 1, factor of the probability of organic interactions. */
  readonly ownInitiative: number;
  /** θ_k, examination probability by position. */
  readonly examination: Float64Array;
}

/**
 * Compute α, τ and θ for the options. @param lists a sample of the served lists, with their users.
 */
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
  // Lists without any relevant item drive no interaction, whatever α is.
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

/** Compute G, the mean number of relevant items that a session finds organically, at τ = 1. */
function foundPerSession({ relevant, propensity }: World): number {
  let sum = 0;
  for (const own of relevant) {
    for (const item of own) {
      sum += propensity[item];
    }
  }
  return sum / relevant.length;
}

/**
 * Compute H and J, two means over served lists. H is the expected number of relevant items that are
 * examined. J counts only those that the session has already found organically, at τ = 1.
 */
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
 * Compute θ_k for each visible position: its examination probability relative to that of the first
 * position. With a flat curve, all visible positions have 1. With a given curve, positions after
 * the end of the curve have 0.
 */
export function examination({
  examination: curve = 'flat',
  shownLength,
}: Pick<SimulationOptions, 'examination' | 'shownLength'>): Float64Array {
  return Float64Array.from({ length: shownLength }, (_, k) =>
    curve === 'flat' ? 1 : (curve[k] ?? 0),
  );
}
