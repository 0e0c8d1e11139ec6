import type { ActionWorths } from '../../events/action-worths.js';
import type { RequestFault } from './request-faults.js';

/** A list of a request, of any model. */
export interface RequestList {
  readonly model: number;
  /** Probability with which the list is served; NaN if not stated. */
  readonly share: number;
  /** Number of visible positions; 0 if not stated, which means all. */
  readonly depth: number;
  /** Number of positions of the page above the list. */
  readonly firstRank: number;
  /** Number of candidates of a randomised list: 0 if unknown, NaN if the list is not randomised. */
  readonly candidates: number;
  readonly items: Int32Array;
  /** Logged propensities of the items, if the list was served without a share. */
  readonly logged?: LoggedChances | undefined;
}

/** Propensities with which a stochastic logger showed the items of a list. */
export interface LoggedChances {
  /** Kind of propensities, an index into `PROPENSITY_KINDS`. */
  readonly kind: number;
  /** Propensity of the item at each position, in (0, 1]. */
  readonly propensities: Float32Array;
}

/** A served list by the 64-bit hash of its exposure's id, with the rewards of its items. */
export interface ServedList {
  readonly idHigh: number;
  readonly idLow: number;
  readonly model: number;
  /** Reward of the best action on the item, by position. */
  readonly rewards: Float64Array;
}

/** A request whose horizon has not passed, so that lists and rewards may still arrive. */
export interface OpenRequest {
  /** High half of the 64-bit hash of the request's id. */
  readonly high: number;
  readonly low: number;
  readonly user: number;
  /** Time of the request's first list, ms. */
  readonly ts: number;
  /** Number of the user's earlier interactions, as far as counted; −1 if unknown. */
  readonly history: number;
  readonly lists: readonly RequestList[];
  readonly served: ServedList | undefined;
  /** The first fault found; the request then cannot be used. */
  readonly fault: RequestFault | undefined;
}

/**
 * Sampling depth of a request: the number of halvings of all requests in which it remains, as
 * `depthOf` for users.
 *
 * @param high half of the hash of its id, whose bits are uniform
 */
export function requestDepth(high: number): number {
  return Math.clz32(high);
}

/** Options of joining requests. */
export interface RequestOptions {
  /** Time after its first list during which a request collects lists and rewards, event time, ms. */
  readonly horizonMs: number;
  readonly paneMs: number;
  /** Rewards of actions. */
  readonly worths: ActionWorths;
  /** How one configured action is rewarded: once per event, or by the sum of its values. */
  readonly earnsBy?: 'count' | 'value' | undefined;
  /** Maximum number of requests that close with one pane; Infinity sets no limit. */
  readonly limit: number;
  /** The pane with which all requests close; by default their horizon determines it. */
  readonly closesWith?: number;
}

/** Pane that closes a request: the first one that ends at or after ts plus the horizon. */
export function closingPane(ts: number, options: RequestOptions): number {
  return options.closesWith ?? Math.ceil((ts + options.horizonMs) / options.paneMs) - 1;
}
