import { expect, it } from 'vitest';
import { userClusters } from '../../../../../src/features/values/logged/user-clusters.js';
import type { WindowRequests } from '../../../../../src/state/requests/pane-requests.js';

function paneOf(userHash: readonly number[]): WindowRequests {
  const requests = { length: userHash.length, userHash: Int32Array.from(userHash) };
  return {
    ...requests,
    cluster: Uint8Array.from(userHash, (hash) => hash & 63),
  } as unknown as WindowRequests;
}

const allOf = (panes: readonly WindowRequests[]) =>
  panes.map((pane) => ({ pane, kept: Int32Array.from({ length: pane.length }, (_, q) => q) }));

it('gives each user one cluster across panes, in the order of hashes', () => {
  const panes = [paneOf([64, -5, 64]), paneOf([128, -5])];
  const { clusters, of } = userClusters(allOf(panes), 2);
  expect(clusters).toBe(3);
  expect(panes.map((pane) => [...(of.get(pane) as Int32Array)])).toEqual([
    [1, 0, 1],
    [2, 0],
  ]);
});
