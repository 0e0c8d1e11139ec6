import { HAS_PROPENSITIES } from '../../events/columns.js';
import type { PendingExposures } from '../panes/pending-exposures.js';
import type { LoggedChances, OpenRequest } from './open-request.js';
import type { LoggedRequests } from './pane-requests.js';

/** At it and below a reward would weigh a billion or more. */
export const LEAST_PROPENSITY = 1e-9;

/** By what chances the items of a list of an exposure were shown; undefined if it does not say. */
export function loggedChances(from: PendingExposures, r: number): LoggedChances | undefined {
  if ((from.flags[r] & HAS_PROPENSITIES) === 0) return undefined;
  const propensities = from.propensities.subarray(from.listStart[r], from.listStart[r + 1]);
  return { kind: from.requests.propensityOf[r], propensities };
}

/**
 * The chances by which a logger drew what a request was served, where nothing else says what arms
 * might have been: no list of it states a share.
 */
export function loggedOf({ lists, served }: OpenRequest): LoggedChances | undefined {
  if (lists.some(({ share }) => share > 0)) return undefined;
  return lists.find(({ model }) => model === served!.model)?.logged;
}

/** The logged chances of requests under construction. */
export class LoggedRequestsBuilder {
  readonly #length: number;
  #kind: Uint8Array | undefined;
  readonly #propensity: number[] = [];

  /** @param length how many requests there are. */
  constructor(length: number) {
    this.#length = length;
  }

  /** @param q place of the request, which was served. @param row of its first item. */
  add(q: number, { kind, propensities }: LoggedChances, row: number, places: number): void {
    this.#kind ??= new Uint8Array(this.#length);
    this.#kind[q] = 1 + kind;
    for (let at = 0; at < places; at++) this.#propensity[row + at] = propensities[at];
  }

  /** @param items rows of all requests. @returns undefined where no chances were logged. */
  build(items: number, wholeLevel: number): LoggedRequests | undefined {
    if (this.#kind === undefined) return undefined;
    const propensity = new Float32Array(items);
    // Rows of other requests have none.
    for (let row = 0; row < items; row++) propensity[row] = this.#propensity[row] ?? 0;
    return { kind: this.#kind, propensity, wholeLevel };
  }
}
