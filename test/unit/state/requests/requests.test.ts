import { describe, expect, it } from 'vitest';
import { LATE, SHOWN_BEFORE } from '../../../../src/events/columns.js';
import type { PaneContent } from '../../../../src/state/panes/pane-content.js';
import { NOT_IN_LIST } from '../../../../src/state/panes/window-part.js';
import { UNUSABLE } from '../../../../src/state/requests/pane-requests.js';
import type { RequestFault } from '../../../../src/state/requests/request-faults.js';
import { eachKind, shareOf } from '../../../../src/state/requests/request-kinds.js';
import { RequestPartition } from '../../../support/request-partition.js';

const OF_PURCHASES = 2;
const requestsOf = ({ requests }: PaneContent) => requests!;
const faultsOf = ({ counts }: PaneContent) =>
  Object.fromEntries(counts.requests?.faults ?? []) as Partial<Record<RequestFault, number>>;
const columnOf = (content: PaneContent, model: number) => [
  ...requestsOf(content).items.ranks[model]!,
];
/** Two models' lists of request 7 at 10 ms, that of model 0 served. */
const two = (horizonMs?: number) =>
  new RequestPartition(horizonMs)
    .list({ id: 1, ts: 10, items: [5, 6], request: 7, share: 0.5, isServed: true })
    .list({ id: 2, ts: 10, items: [6, 8], request: 7, model: 1, share: 0.5 });

describe('a request', () => {
  it('closes with the first pane that ends at its time plus the horizon, and belongs to it', () => {
    const partition = two();
    expect(partition.closeThrough(1).requests).toBeUndefined();
    expect(partition.state.oldestOpenPane).toBe(2);
    const { pane, length, ts, served } = requestsOf(partition.close(2));
    expect([pane, length, [...ts], [...served]]).toEqual([2, 1, [10], [0]]);
    expect(partition.state.oldestOpenPane).toBe(Number.POSITIVE_INFINITY);
    expect(requestsOf(two(290).closeThrough(2)).length).toBe(1);
    expect(two(291).closeThrough(2).requests).toBeUndefined();
  });

  it('has each item once, with its rank in every list and its reward', () => {
    const content = two().click(20, 1, 6).closeThrough(2);
    expect([...requestsOf(content).items.reward]).toEqual([0, 1, 0]);
    expect(columnOf(content, 0)).toEqual([0, 1, NOT_IN_LIST]);
    expect(columnOf(content, 1)).toEqual([NOT_IN_LIST, 0, 1]);
    expect([...eachKind(requestsOf(content).kinds)]).toEqual([
      { models: [0, 1], shares: [0.5, 0.5] },
    ]);
    expect([...requestsOf(content).firstItem]).toEqual([0, 3]);
  });

  it('takes lists that come after the first reward, and in a later pane', () => {
    const partition = two().click(20, 1, 5);
    partition.list({ id: 3, ts: 150, items: [9, 5], request: 7, model: 2 });
    const content = partition.closeThrough(2);
    expect(columnOf(content, 2)).toEqual([1, NOT_IN_LIST, NOT_IN_LIST, 0]);
    expect(requestsOf(content).kinds.runs[0].models).toEqual([0, 1, 2]);
    expect(shareOf(requestsOf(content).kinds, 0, 2)).toBeNaN();
  });

  it('counts of each item the action that is worth most, once', () => {
    const content = two()
      .click(20, 1, 5)
      .click(21, 1, 5)
      .click(22, 1, 6, { action: OF_PURCHASES })
      .click(23, 1, 6)
      .closeThrough(2);
    expect([...requestsOf(content).items.reward]).toEqual([1, 5, 0]);
  });

  it('gets no reward for lists that were not served, other items, other users, or too late', () => {
    const content = two(150)
      .click(5, 1, 5)
      .click(20, 2, 6)
      .click(20, 1, 8)
      .click(20, 1, 5, { user: 3 })
      .click(160, 1, 6)
      .closeThrough(1);
    expect([...requestsOf(content).items.reward]).toEqual([0, 0, 0]);
    expect(faultsOf(content)).toEqual({});
  });

  it('is looked at down to where any list that may be served could be seen', () => {
    const content = new RequestPartition()
      .list({ id: 1, ts: 10, items: [1, 2, 3], request: 7, share: 0.5, depth: 1, isServed: true })
      .list({ id: 2, ts: 10, items: [4, 5, 6], request: 7, model: 1, share: 0.5, depth: 2 })
      .list({ id: 3, ts: 10, items: [7, 8, 9], request: 7, model: 2 })
      .closeThrough(2);
    expect(requestsOf(content).places).toBe(2);
    const ranks = [0, 1, 2].map((model) => columnOf(content, model));
    const listed = ranks.map((column) => column.filter((rank) => rank !== NOT_IN_LIST));
    expect(listed).toEqual([[0], [0, 1], [0, 1]]);
  });

  it('has lists that begin below the first place of the page', () => {
    const content = new RequestPartition()
      .list({ id: 1, ts: 10, items: [1], request: 7, share: 1, firstRank: 2, isServed: true })
      .closeThrough(2);
    expect(columnOf(content, 0)).toEqual([2]);
    expect(requestsOf(content).places).toBe(3);
  });
});

describe('lists that a stochastic logger drew', () => {
  const drawn = { ts: 10, request: 7, user: 1, propensities: [0.5, 0.25] } as const;
  /** Requests of two users: one of slots with a drawn challenger, one of items given those above. */
  const logged = () =>
    new RequestPartition()
      .list({ ...drawn, id: 1, items: [5, 6], isServed: true })
      .list({ id: 2, ts: 10, request: 7, user: 1, model: 1, items: [6, 5, 8] })
      .list({ id: 3, ts: 10, request: 7, user: 1, model: 2, items: [9, 4], drawnFrom: 40 })
      .list({
        ...drawn,
        id: 4,
        ts: 20,
        request: 8,
        user: 2,
        items: [9, 5],
        isServed: true,
        propensityOf: 'conditional',
      })
      .click(30, 1, 6, { user: 1 });

  it('leave what was shown from the top, with its propensities and ranks in other lists', () => {
    const {
      items,
      drawn: challengers,
      logged: chances,
      firstItem,
    } = requestsOf(logged().closeThrough(2));
    // Behind the two that were shown the others' items, down to where the page was seen.
    expect([...firstItem]).toEqual([0, 4, 6]);
    expect([...items.item]).toEqual([5, 6, 9, 4, 9, 5]);
    expect([...items.reward]).toEqual([0, 1, 0, 0, 0, 0]);
    const none = NOT_IN_LIST;
    expect([...items.ranks[0]!]).toEqual([0, 1, none, none, 0, 1]);
    expect([...items.ranks[1]!]).toEqual([1, 0, none, none, none, none]);
    expect([...items.ranks[2]!]).toEqual([none, none, 0, 1, none, none]);
    expect([...chances!.kind]).toEqual([1, 2]);
    expect([...chances!.propensity]).toEqual([0.5, 0.25, 0, 0, 0.5, 0.25]);
    expect(chances!.wholeLevel).toBe(0);
    expect([challengers!.model[0], challengers!.candidates[0]]).toEqual([2, 40]);
  });

  it('with a share are those of an arm', () => {
    const partition = new RequestPartition()
      .list({ ...drawn, id: 1, items: [5, 6], share: 0.5, isServed: true })
      .list({ id: 2, ts: 10, request: 7, user: 1, model: 1, items: [6], share: 0.5 });
    expect(requestsOf(partition.closeThrough(2)).logged).toBeUndefined();
  });

  it('that hold an item twice have a row a place, and reward the first', () => {
    const twice = new RequestPartition()
      .list({ ...drawn, id: 1, items: [5, 5], isServed: true })
      .click(20, 1, 5, { user: 1 });
    const { items, firstItem } = requestsOf(twice.closeThrough(2));
    expect([[...firstItem], [...items.reward]]).toEqual([
      [0, 2],
      [1, 0],
    ]);
  });
});

describe('a fault', () => {
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

  it.each(cases)('%s is counted, and the request cannot be used', (fault, lists) => {
    const content = lists(new RequestPartition()).click(20, 1, 5).closeThrough(2);
    expect(faultsOf(content)).toEqual({ [fault]: 1 });
    expect([...requestsOf(content).served]).toEqual([UNUSABLE]);
    expect(requestsOf(content).items.length).toBe(0);
  });

  it('of a list of another user is counted, and the request stays as it is', () => {
    const partition = two().list({ id: 3, ts: 11, items: [9], request: 7, model: 2, user: 4 });
    expect(faultsOf(partition.close(0))).toEqual({ other_user: 1 });
    partition.close(1);
    const content = partition.close(2);
    expect(requestsOf(content).kinds.runs[0].models).toEqual([0, 1]);
    expect([...requestsOf(content).served]).toEqual([0]);
  });

  it('of a served list without a request is counted, where others have one or not', () => {
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

  it('is neither a late list nor one of what is known before', () => {
    const partition = new RequestPartition();
    for (const flags of [LATE, SHOWN_BEFORE]) {
      partition.list({
        id: flags,
        ts: 10,
        items: [5],
        request: 7,
        isServed: flags === LATE,
        flags,
      });
    }
    const content = partition.closeThrough(2);
    expect([content.requests, faultsOf(content)]).toEqual([undefined, {}]);
  });
});

describe('the limit of requests', () => {
  /** Requests whose hashes are even in their halves: the deeper, the fewer. */
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

  it('keeps those whose hash lies deepest, whatever the order, and counts the others', () => {
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

  it('samples whole lists alike in all panes, so that what is in every sample is not empty', () => {
    const panes = upTo(300).map((pane) => {
      const partition = new RequestPartition(250, { requests: 11 });
      for (const n of upTo(1 + (pane % 11))) {
        const hash = Math.imul(11 * pane + n + 1, 0x9e3779b1);
        const request = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
        const items = upTo(40);
        partition.list({ id: n + 1, ts: 10, items, request, user: n, share: 1, isServed: true });
      }
      return requestsOf(partition.closeThrough(2));
    });
    const level = Math.max(...panes.map(({ listedLevel }) => listedLevel));
    const whole = panes.flatMap(({ depth }) => [...depth]).filter((own) => own >= level);
    // 1,800 requests at a level that keeps 1 in 32.
    expect(whole.length).toBeGreaterThan(20);
  });

  it('keeps the items of all lists for a sample, and of the others those with a reward', () => {
    const partition = new RequestPartition(250, { requests: 20 });
    for (const n of upTo(4)) {
      const items = upTo(20);
      const request = 1 << (31 - n);
      partition.list({ id: n + 1, ts: 10, items, request, user: n, share: 1, isServed: true });
      partition.click(20, n + 1, 3, { user: n });
    }
    const { listedLevel, depth, firstItem, items } = requestsOf(partition.closeThrough(2));
    const sizes = [...depth].map((_, q) => firstItem[q + 1] - firstItem[q]);
    expect([...depth].map((own) => (own >= listedLevel ? 20 : 1))).toEqual(sizes);
    expect(sizes).toContain(1);
    expect(sizes).toContain(20);
    expect(items.reward.reduce((sum, each) => sum + each, 0)).toBe(4);
  });

  it('keeps what a logger did not show as far as there is room beside what it did', () => {
    const partition = new RequestPartition(250, { requests: 40 });
    for (const n of upTo(8)) {
      const own = { ts: 10, request: 1 << (31 - n), user: n };
      const propensities = upTo(5).map(() => 0.5);
      partition.list({ ...own, id: n + 1, items: upTo(5), isServed: true, propensities });
      partition.list({ ...own, id: n + 100, items: upTo(10).map((i) => 50 + i), model: 1 });
    }
    const { listedLevel, depth, firstItem, logged } = requestsOf(partition.closeThrough(2));
    // Room for 80 items: 40 that were shown, and half of the 80 others.
    expect([listedLevel, logged!.wholeLevel]).toEqual([0, 1]);
    const sizes = [...depth].map((_, q) => firstItem[q + 1] - firstItem[q]);
    expect(sizes).toEqual([...depth].map((own) => (own >= 1 ? 10 : 5)));
  });

  it('takes 23 bytes a request that has closed, beside its lists', () => {
    const {
      items: _,
      length,
      kinds,
      ...columns
    } = requestsOf(many(new RequestPartition(), upTo(1000)));
    const arrays = Object.values(columns).filter((each) => ArrayBuffer.isView(each));
    const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect([length, kinds.length]).toEqual([1000, 1]);
    expect(Math.floor(bytes / length)).toBe(23);
  });
});
