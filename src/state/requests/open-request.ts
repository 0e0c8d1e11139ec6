import type { ActionWorths } from '../../events/action-worths.js';
import type { RequestFault } from './request-faults.js';

/** A list of a request, of any model. */
export interface RequestList {
  readonly model: number;
  /** The chance by which it would have been served; NaN where it does not say. */
  readonly share: number;
  /** How many of its places could be seen; all where it does not say: 0. */
  readonly depth: number;
  /** Places of the page above it. */
  readonly firstRank: number;
  /** How many items it was drawn from at random: 0 if it does not say, NaN if it was not drawn. */
  readonly candidates: number;
  readonly items: Int32Array;
  /** By what chances its items were shown; of lists that were served without a share. */
  readonly logged?: LoggedChances | undefined;
}

/** The chances by which a stochastic logger showed the items of a list. */
export interface LoggedChances {
  /** Code of what they are chances of: its place in `PROPENSITIES_OF`. */
  readonly kind: number;
  /** By place, in (0, 1]. */
  readonly propensities: Float32Array;
}

/** A served list by the 64-bit hash of its exposure's id, with what came of its items. */
export interface ServedList {
  readonly idHigh: number;
  readonly idLow: number;
  readonly model: number;
  /** By place: what the best action on the item is worth. */
  readonly rewards: Float64Array;
}

/** A request whose horizon has not passed: its lists may still come, and their rewards. */
export interface OpenRequest {
  /** 64-bit hash of its id. */
  readonly high: number;
  readonly low: number;
  readonly user: number;
  /** When its first list was made, ms. */
  readonly ts: number;
  /** Interactions of its user before that, as far as they are counted; −1 where it was written without. */
  readonly history: number;
  readonly lists: readonly RequestList[];
  readonly served: ServedList | undefined;
  /** What makes it useless; the first that was found. */
  readonly fault: RequestFault | undefined;
}

/**
 * Depth of a request: the number of halvings of all requests in which it remains. See `UserDepths`.
 *
 * @param high half of the hash of its id, whose bits are even
 */
export function requestDepth(high: number): number {
  return Math.clz32(high);
}

/** What requests are joined by. */
export interface RequestOptions {
  /** How long after its first list a request takes lists and rewards, event time, ms. */
  readonly horizonMs: number;
  readonly paneMs: number;
  /** What actions are worth. */
  readonly worths: ActionWorths;
  /** Where one action earns: each time, or by its value, of which an item earns the sum. */
  readonly earnsBy?: 'count' | 'value' | undefined;
  /** How many requests may close with one pane; Infinity sets no limit. */
  readonly limit: number;
  /** The pane that all close with, whatever their time; by their horizon if left out. */
  readonly closesWith?: number;
}

/** Pane that closes a request: the first one that ends at ts plus the horizon, or later. */
export function closingPane(ts: number, options: RequestOptions): number {
  return options.closesWith ?? Math.ceil((ts + options.horizonMs) / options.paneMs) - 1;
}
