import type { ActionWorths } from '../../events/action-worths.js';
import type { RequestFault } from './request-faults.js';

/** A list of a request, of any model. */
export interface RequestList {
  readonly model: number;
  /** Probability with which the list is served; NaN if not stated. */
  readonly share: number;
  /**
   * Number of visible positions of the list; 0 if not stated, so that all positions are visible.
   */
  readonly depth: number;
  /** Number of positions on the page that come before the list. */
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

/**
 * The served list of a request, identified by the 64-bit hash of its exposure's id, with the
 * rewards of its items.
 */
export interface ServedList {
  readonly idHigh: number;
  readonly idLow: number;
  readonly model: number;
  /** By position: reward of the best action on the item, or the sum of the values of its events. */
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
  /**
   * Number of the user's interactions before the request, as far as they are counted; −1 if
   * unknown.
   */
  readonly history: number;
  readonly lists: readonly RequestList[];
  readonly served: ServedList | undefined;
  /** The first fault found; the request then cannot be used. */
  readonly fault: RequestFault | undefined;
}

/**
 * Sampling depth of a request: how often the sample of requests can be halved before the request is
 * dropped, like `depthOf` for users.
 *
 * @param high upper half of the hash of the request's id; its bits are uniform
 */
export function requestDepth(high: number): number {
  return Math.clz32(high);
}

/** Options of joining requests. */
export interface RequestOptions {
  /** A request collects lists and rewards for this time after its first list; event time, ms. */
  readonly horizonMs: number;
  readonly paneMs: number;
  /** Rewards of actions. */
  readonly worths: ActionWorths;
  /**
   * With `value`, an item's reward is the sum of the values of its events. Otherwise it is the
   * reward of the best action on the item.
   */
  readonly earnsBy?: 'count' | 'value' | undefined;
  /** Maximum number of requests that close with one pane; Infinity sets no limit. */
  readonly limit: number;
  /**
   * Number of the pane with which all requests close. By default, the horizon of each request
   * determines its pane.
   */
  readonly closesWith?: number;
}

/**
 * Number of the pane that closes a request whose first list was at `ts`. By default, it is the
 * first pane that ends at or after `ts` plus the horizon.
 */
export function closingPane(ts: number, options: RequestOptions): number {
  return options.closesWith ?? Math.ceil((ts + options.horizonMs) / options.paneMs) - 1;
}
