import { describe, expect, it } from 'vitest';
import type { DecisionSources } from '../../../../src/features/verdicts/decision-sources.js';
import type { RequestCap } from '../../../../src/features/verdicts/measure.js';
import { ModelEpochs } from '../../../../src/features/verdicts/model-epochs.js';
import { pairedDifference } from '../../../../src/features/verdicts/paired-difference.js';
import { RunningSums, roomForSums } from '../../../../src/features/verdicts/running-sums.js';
import { VALUE_MEASURE } from '../../../../src/features/verdicts/value-measure.js';
import { UNUSABLE, type WindowRequests } from '../../../../src/state/requests/pane-requests.js';
import { requestKinds } from '../../../../src/state/requests/request-kinds.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';

/** A request: what was served, its shares of a and b, and what its items earned. */
type Request = readonly [served: number, shares: readonly number[], ...rewards: number[]];

function requestsOf(pane: number, given: readonly Request[]): WindowRequests {
  const rewards = given.map(([, , ...earned]) => earned);
  let first = 0;
  const starts = rewards.map((each) => {
    first += each.length;
    return first;
  });
  return {
    pane,
    level: 0,
    listedLevel: 0,
    places: 2,
    length: given.length,
    ts: new Float64Array(given.length),
    depth: new Uint8Array(given.length),
    served: Uint16Array.from(given, ([served]) => served),
    kind: Int32Array.from(given, (_, q) => q),
    cluster: Uint8Array.from(given, (_, q) => q),
    user: Int32Array.from(given, (_, q) => q),
    firstItem: Int32Array.from([0, ...starts]),
    kinds: requestKinds(given.map(([, shares]) => ({ models: [0, 1], shares }))),
    items: {
      length: first,
      item: new Int32Array(first),
      reward: Float64Array.from(rewards.flat()),
      ranks: [],
    },
  };
}

function sumsOf(
  requests: readonly WindowRequests[],
  paneEnd: number,
  cap: RequestCap | null = null,
) {
  const epochs = new ModelEpochs({ lookMs: 20, dayMs: 40 });
  const sums = new RunningSums(2, VALUE_MEASURE.shape);
  for (const place of epochs.follow(['a', 'b'], 0).taken) sums.open(place);
  const models = ['a', 'b'].map((name, id) => ({ name, id }));
  const sources = { tickMs: 10, models, requests } as unknown as DecisionSources;
  const snapshot = makeSnapshot({ paneEnd });
  const next = VALUE_MEASURE.add({ sums, epochs, snapshot, sources, cap, dayMs: 40 });
  const of = (place: number, point = 0) => sums.since(undefined, place, point, roomForSums(64));
  return { of, next };
}

function added(requests: readonly WindowRequests[], paneEnd: number) {
  const { of } = sumsOf(requests, paneEnd);
  return pairedDifference(of(0), of(1));
}

const HALF = [0.5, 0.5];

describe('arms compared by reward per request', () => {
  it('differ by their mean rewards if shares are even', () => {
    const { own, other, value } = added(
      [
        requestsOf(3, [
          [0, HALF, 1, 2],
          [0, HALF, 0],
          [1, HALF, 1],
          [1, HALF],
          [1, HALF, 0],
        ]),
      ],
      40,
    );
    expect([own, other]).toEqual([3 / 2, 1 / 3]);
    expect(value).toBeCloseTo(7 / 6, 12);
  });

  it('leave out requests that are unusable, incomplete or of other panes', () => {
    const { own, other } = added(
      [
        requestsOf(2, [[0, HALF, 100]]),
        requestsOf(3, [
          [0, [0.5, 0.4], 100],
          [UNUSABLE, HALF, 100],
          [0, HALF, 1],
          [1, HALF, 2],
        ]),
      ],
      40,
    );
    expect([own, other]).toEqual([1, 2]);
  });

  it('sum rewards separately from the first position where lists differ', () => {
    const requests = requestsOf(3, [
      [0, HALF, 1, 2, 0],
      [1, HALF, 4, 0, 8],
    ]);
    // a: x y, b: x z, so they differ in the second position.
    const none = 0xffff;
    const ranks = [
      [0, 1, none, 0, 1, none],
      [0, none, 1, 0, none, 1],
    ].map((own) => Uint16Array.from(own));
    const { of } = sumsOf([{ ...requests, items: { ...requests.items, ranks } }], 40);
    const sum = (column: ArrayLike<number>) => Array.from(column).reduce((a, b) => a + b, 0);
    // Of two requests with shares of a half.
    expect([sum(of(0).gain), sum(of(1).gain)]).toEqual([6, 24]);
    expect([sum(of(0, 2).gain), sum(of(1, 1).gain)]).toEqual([4, 16]);
  });

  it('count requests per user up to a cap set on the first day', () => {
    const crawled = (pane: number, requests: number) => {
      const others = Array.from({ length: 3 }, (): Request => [1, HALF, 1]);
      const all = requestsOf(pane, [
        ...Array.from({ length: requests }, (): Request => [0, HALF, 1]),
        ...others,
      ]);
      return { ...all, user: all.user.map((_, q) => (q < requests ? 7 : 100 + q)) };
    };
    const counted = (panes: readonly WindowRequests[], paneEnd: number, cap: RequestCap | null) => {
      const { of, next } = sumsOf(panes, paneEnd, cap);
      return [Array.from(of(0).weight).reduce((a, b) => a + b, 0) / 2, next];
    };
    // The median of four users is one request.
    expect(counted([crawled(3, 30)], 40, null)).toEqual([20, { since: 30, most: 20 }]);
    // A settled cap stays. 15 requests of the last day are counted already; older ones do not count.
    const settled = { since: 30, most: 25 };
    const panes = [crawled(5, 100), crawled(7, 15), crawled(9, 30)];
    expect(counted(panes, 100, settled)).toEqual([10, settled]);
  });
});
