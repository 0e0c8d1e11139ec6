import { describe, expect, it } from 'vitest';
import type { PaneContent } from '../../../../src/state/panes/pane-content.js';
import { UNUSABLE } from '../../../../src/state/requests/pane-requests.js';
import type { RequestFault } from '../../../../src/state/requests/request-faults.js';
import { RequestPartition } from '../../../support/request-partition.js';

const requestsOf = ({ requests }: PaneContent) => requests!;
const faultsOf = ({ counts }: PaneContent) =>
  Object.fromEntries(counts.requests?.faults ?? []) as Partial<Record<RequestFault, number>>;
/** Two models' lists of request 7 at 10 ms, that of model 0 served. */
const two = (horizonMs?: number) =>
  new RequestPartition(horizonMs)
    .list({ id: 1, ts: 10, items: [5, 6], request: 7, share: 0.5, isServed: true })
    .list({ id: 2, ts: 10, items: [6, 8], request: 7, model: 1, share: 0.5 });

describe('an invalid request', () => {
  const served = { id: 1, ts: 10, items: [5], request: 7, isServed: true };
  const cases: [RequestFault, (partition: RequestPartition) => RequestPartition][] = [
    ['nothing_served', (p) => p.list({ ...served, isServed: false })],
    ['two_served', (p) => p.list(served).list({ ...served, id: 2, model: 1 })],
    ['repeated_list', (p) => p.list(served).list({ ...served, id: 2, isServed: false })],
    [
      'shares_over_one',
      (p) =>
        p
          .list({ ...served, share: 0.6 })
          .list({ ...served, id: 2, model: 1, share: 0.5, isServed: false }),
    ],
    ['share_too_small', (p) => p.list({ ...served, share: 0 })],
    ['share_too_small', (p) => p.list({ ...served, share: 1e-10 })],
    ['propensity_too_small', (p) => p.list({ ...served, propensities: [1e-9] })],
  ];

  it.each(cases)('with %s is counted, and cannot be used', (fault, lists) => {
    const content = lists(new RequestPartition()).click(20, 1, 5).closeThrough(2);
    expect(faultsOf(content)).toEqual({ [fault]: 1 });
    expect([...requestsOf(content).served]).toEqual([UNUSABLE]);
    expect(requestsOf(content).items.length).toBe(0);
  });

  it('is counted for a served list without one, whether others have one or not', () => {
    const plain = { id: 9, ts: 12, items: [1], isServed: true };
    const partition = two().list(plain);
    expect(faultsOf(partition.close(0))).toEqual({ served_without_request: 1 });
    // A pane of which no list names a request, while those of the pane before are open.
    const next = { ...plain, id: 10, ts: 112 };
    expect(faultsOf(partition.list(next).close(1))).toEqual({ served_without_request: 1 });
    const alone = new RequestPartition().list(plain).list({ ...plain, id: 11, isServed: false });
    const content = alone.close(0);
    expect(content.requests).toBeUndefined();
    expect(faultsOf(content)).toEqual({ served_without_request: 1 });
  });
});

describe('the limit of requests', () => {
  /** Requests with well-spread hashes: each depth has half as many as the one before. */
  const many = (partition: RequestPartition, order: readonly number[]) => {
    for (const n of order) {
      const request = Math.imul(n + 1, 0x9e3779b1);
      partition.list({
        id: n + 1,
        ts: 10,
        items: [5, 6],
        request,
        user: n,
        share: 1,
        isServed: true,
      });
    }
    return partition.closeThrough(2);
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

  it('keeps requests with the deepest hashes in any order, and counts the others', () => {
    const whole = requestsOf(many(new RequestPartition(), upTo(200)));
    const content = many(new RequestPartition(250, { requests: 40 }), upTo(200));
    const { length, level, depth, user } = requestsOf(content);
    expect(length).toBeLessThanOrEqual(40);
    expect(level).toBeGreaterThan(0);
    const deep = [...whole.depth]
      .map((own, q) => [own, whole.user[q]])
      .filter(([own]) => own >= level);
    expect([...depth].map((own, q) => [own, user[q]]).sort()).toEqual(deep.sort());
    expect(content.counts.requests?.sampledOut).toBe(200 - length);
    const reversed = many(new RequestPartition(250, { requests: 40 }), upTo(200).reverse());
    expect(new Set(requestsOf(reversed).user)).toEqual(new Set(user));
    expect(reversed.counts.requests).toEqual(content.counts.requests);
  });
});
