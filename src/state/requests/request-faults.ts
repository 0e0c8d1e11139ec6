/** Faults of requests: the complete list of their codes. */
export const REQUEST_FAULTS = [
  /** A list was served without a request id, in a log where other lists have one. */
  'served_without_request',
  /** The horizon of a request has passed without a served list. */
  'nothing_served',
  /** Two lists of one request were served. */
  'two_served',
  /** A model has two lists in one request. */
  'repeated_list',
  /** A list or an interaction has the request id of another user. */
  'other_user',
  /** The serving probabilities of a request's lists sum to more than 1. */
  'shares_over_one',
  /** A list was served with a probability below 1e-9. */
  'share_too_small',
  /** An item of a logged list has a propensity of 1e-9 or less. */
  'propensity_too_small',
  /** A rewarded interaction has an action that is missing in `events.actions`; its reward is 1. */
  'unknown_action',
] as const;

export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** Numbers of invalid and dropped requests in a pane. */
export interface RequestTally {
  /** Number of occurrences by fault; a fault that did not occur is missing. */
  readonly faults: ReadonlyMap<RequestFault, number>;
  /** Number of served lists of the requests that sampling dropped. */
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
