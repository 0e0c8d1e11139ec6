import { type PaneRequests, withRequestModels } from './pane-requests.js';

const SLICE = 16_384;
/** Users are grouped by their hash into so many clusters. */
export const REQUEST_CLUSTERS = 64;

/** Requests of a pane as estimators see them: models are columns, and users have hash groups. */
export type WindowRequests = PaneRequests & {
  /** Group of the user, below `REQUEST_CLUSTERS`. */
  readonly cluster: Uint8Array;
  /** Hash of the user, where a logger drew lists. */
  readonly userHash?: Int32Array | undefined;
};

/**
 * Requests of the panes through this one, for estimators.
 *
 * @param models dense numbers, in the order of the columns. @param hashOf hash of a user's id
 * @throws RangeError if there are requests and no hashes: numbers of users follow the order of arrival
 */
export function* windowRequests(
  panes: readonly PaneRequests[],
  lastPane: number,
  models: readonly number[],
  hashOf: ((user: number) => number) | undefined,
): Generator<void, WindowRequests[]> {
  if (panes.length > 0 && hashOf === undefined) {
    throw new RangeError('Requests need hashes of the ids of their users.');
  }
  const columns = new Map(models.map((model, column) => [model, column]));
  const found: WindowRequests[] = [];
  for (const each of panes) {
    if (each.pane > lastPane) continue;
    const requests = withRequestModels(each, (model) => columns.get(model));
    const { user } = requests;
    const cluster = new Uint8Array(user.length);
    const userHash = requests.logged && new Int32Array(user.length);
    for (let q = 0; q < user.length; q++) {
      const hash = hashOf!(user[q]);
      cluster[q] = hash & (REQUEST_CLUSTERS - 1);
      if (userHash !== undefined) userHash[q] = hash;
      if (q % SLICE === SLICE - 1) yield;
    }
    found.push({ ...requests, cluster, userHash });
    yield;
  }
  return found;
}
