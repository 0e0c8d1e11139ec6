import { expect, it } from 'vitest';
import { windowLog } from '../../../../../src/features/values/window-log.js';
import type { WindowRequests } from '../../../../../src/state/requests/pane-requests.js';
import { requestKinds } from '../../../../../src/state/requests/request-kinds.js';

/** Requests with two items each, in the lists of both arms; the first is clicked. */
function pane(number: number, depth: readonly number[], more: Partial<WindowRequests> = {}) {
  const length = depth.length;
  const ranks = [0, 1].map((first) => Uint16Array.from(depth.flatMap(() => [first, 1 - first])));
  const made: WindowRequests = {
    pane: number,
    level: 0,
    listedLevel: 0,
    places: 2,
    length,
    cluster: new Uint8Array(length),
    user: Int32Array.from(depth, (_, q) => q),
    ts: Float64Array.from(depth, (_, q) => 100 * number + q),
    depth: Uint8Array.from(depth),
    served: Uint16Array.from(depth, (_, q) => q % 2),
    kind: new Int32Array(length),
    firstItem: Int32Array.from({ length: length + 1 }, (_, q) => 2 * q),
    kinds: requestKinds([{ models: [0, 1], shares: [0.5, 0.5] }]),
    items: {
      length: 2 * length,
      item: Int32Array.from(depth.flatMap(() => [0, 1])),
      ranks,
      reward: Float64Array.from(depth.flatMap(() => [1, 0])),
    },
    ...more,
  };
  return made;
}
const logOf = (...panes: WindowRequests[]) => windowLog(panes, ['A', 'B'], undefined)!;

it('keeps only rewarded items of requests outside the listed sample', () => {
  const { log } = logOf(pane(0, [0, 1, 2, 3]), pane(1, [2, 5], { listedLevel: 2 }));
  expect([...Array.from(log.requests.isListed!)]).toEqual([0, 0, 1, 1, 1, 1]);
  expect([log.items.length, ...Array.from(log.items.request)].slice(0, 7)).toEqual([
    10, 0, 1, 2, 2, 3, 3,
  ]);
});

it('makes a stratum of each set of shares, in the order of first requests', () => {
  const later = requestKinds([{ models: [0, 1], shares: [0.9, 0.1] }]);
  const { log } = logOf(pane(3, [0, 0]), pane(1, [0, 0], { kinds: later }), pane(5, [0]));
  expect(log.shares).toEqual([
    [0.9, 0.1],
    [0.5, 0.5],
  ]);
  expect(Array.from(log.requests.stratum)).toEqual([1, 1, 0, 0, 1]);
});
