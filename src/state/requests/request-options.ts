import type { ActionWorths } from '../../events/action-worths.js';

/** What requests are joined by. */
export interface RequestOptions {
  /** How long after its first list a request takes lists and rewards, event time, ms. */
  readonly horizonMs: number;
  readonly paneMs: number;
  /** What actions are worth. */
  readonly worths: ActionWorths;
  /** How many requests may close with one pane; Infinity sets no limit. */
  readonly limit: number;
  /** The pane that all close with, whatever their time; by their horizon if left out. */
  readonly closesWith?: number;
}

/** The first pane that ends at ts plus the horizon, or later. */
export function closingPane(ts: number, options: RequestOptions): number {
  return options.closesWith ?? Math.ceil((ts + options.horizonMs) / options.paneMs) - 1;
}
