/** Closed list of what can be wrong with a request. */
export const REQUEST_FAULTS = [
  /** A list was served that names no request: none of a log without experiments does. */
  'served_without_request',
  /** The horizon of a request has passed, and no list of it was served. */
  'nothing_served',
  'two_served',
  /** A model has two lists in one request. */
  'repeated_list',
  /** A list or an interaction of one user names a request of another. */
  'other_user',
  /** The shares of its lists sum to more than 1. */
  'shares_over_one',
  /** A list was served by a chance of less than 1e-9. */
  'share_too_small',
  /** An item of a logged list was shown by a chance of 1e-9 or less. */
  'propensity_too_small',
  /** A reward came by an action that `events.actions` does not name: it counts 1. */
  'unknown_action',
] as const;

export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** What became of requests in a pane beside their rows. */
export interface RequestTally {
  /** By fault; those that did not occur are missing. */
  readonly faults: ReadonlyMap<RequestFault, number>;
  /** Requests that were not kept, since there were more than the limit. */
  readonly sampledOut: number;
}

/** Add up the tallies of several partitions or panes; undefined if there are none. */
export function talliedTogether(
  tallies: readonly (RequestTally | undefined)[],
): RequestTally | undefined {
  const all = tallies.filter((tally) => tally !== undefined);
  if (all.length === 0) return undefined;
  const faults = new Map<RequestFault, number>();
  for (const tally of all) {
    for (const [fault, count] of tally.faults) {
      faults.set(fault, (faults.get(fault) ?? 0) + count);
    }
  }
  return {
    faults,
    sampledOut: all.reduce((sum, { sampledOut }) => sum + sampledOut, 0),
  };
}
