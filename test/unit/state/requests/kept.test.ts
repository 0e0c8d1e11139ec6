import { describe, expect, it } from 'vitest';
import { BinaryReader } from '../../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../../src/state/binary/binary-writer.js';
import {
  readPartitionRequests,
  writePartitionRequests,
} from '../../../../src/state/requests/open-requests.js';
import {
  type DrawnLists,
  type PaneRequests,
  retainedRequests,
} from '../../../../src/state/requests/pane-requests.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { RequestPartition } from '../../../support/request-partition.js';

/** Ids are written unchanged. */
const IDS = {
  items: {
    // biome-ignore lint/correctness/useYield: there is nothing to wait for.
    *write(to: BinaryWriter, ids: Int32Array, length = ids.length) {
      to.column(ids, length);
    },
    column: (from: BinaryReader) => from.int32(),
  },
  models: { place: (model: number) => model + 10, id: (place: number) => place - 10 },
  names: { write: (to: BinaryWriter, ids: Int32Array, n: number) => [to.column(ids, n)] },
  users: undefined,
};

/** Of three users; that of request 7 closed in pane 2, the others are open in pane 3. */
function midway(): RequestPartition {
  const partition = new RequestPartition()
    .list({ id: 1, ts: 10, items: [5, 6], request: 7, share: 0.5, user: 1, isServed: true })
    .list({ id: 2, ts: 10, items: [6, 8], request: 7, share: 0.5, user: 1, model: 1 })
    .list({ id: 3, ts: 140, items: [5, 9], request: 8, share: 1, user: 2, isServed: true })
    .list({ id: 4, ts: 150, items: [9], request: 9, user: 3, model: 1 })
    .click(20, 1, 6, { user: 1 })
    .click(160, 3, 9, { user: 2 });
  partition.closeThrough(2);
  return partition;
}

const clone = (partition: RequestPartition) => {
  const bytes = written(partition);
  const restored = new RequestPartition();
  const reader = new BinaryReader(bytes);
  const layout = { attributionTtlMs: 1000, paneEnd: 300 };
  runAtOnce(restored.state.restore(reader, IDS as never, layout));
  expect(reader.left).toBeLessThan(16);
  return restored;
};

function written(partition: RequestPartition): Uint8Array {
  const to = new BinaryWriter();
  runAtOnce(partition.state.capture()(to, IDS as never));
  return Buffer.concat(to.finish());
}

describe('a state with requests', () => {
  it('continues unchanged after a checkpoint within the horizon', () => {
    const one = midway();
    const other = clone(midway());
    expect(written(other)).toEqual(written(one));
    for (const partition of [one, other]) {
      partition.list({ id: 5, ts: 310, items: [4], request: 8, user: 2, model: 1 });
      partition.click(320, 3, 5, { user: 2 });
    }
    expect(other.state.closed.requests).toEqual(one.state.closed.requests);
    const closed = one.close(3);
    const restored = other.close(3);
    expect(restored.requests).toEqual(closed.requests);
    expect(restored.counts.requests).toEqual(closed.counts.requests);
    expect([...closed.requests!.items.reward]).toEqual([1, 1, 0]);
    expect(closed.requests!.kinds.runs.map(({ models }) => models)).toEqual([[0, 1], [1]]);
    expect(written(other)).toEqual(written(one));
  });
});

describe('requests of a pane', () => {
  const requests = () => {
    const partition = midway();
    partition.close(3);
    return partition.state.closed.requests;
  };

  it('can be limited to some users, with their items', () => {
    const [, later] = requests();
    expect(retainedRequests(later, () => true)).toBe(later);
    expect(retainedRequests(later, () => false)).toBeUndefined();
    const own = retainedRequests(later, (user) => user === 2)!;
    expect([[...own.user], [...own.firstItem], own.items.length]).toEqual([[2], [0, 2], 2]);
    expect([[...own.items.item], [...own.items.reward]]).toEqual([
      [5, 9],
      [0, 1],
    ]);
  });
});

it('closed requests from old checkpoints have no items, and are written unchanged', () => {
  const to = new BinaryWriter();
  for (const each of [1, 2, 0, 0, 2]) to.number(each);
  to.column(Int32Array.of(1));
  to.column(Float64Array.of(10));
  to.column(Uint8Array.of(0));
  to.column(Uint16Array.of(10));
  to.column(Int32Array.of(0));
  to.column(Int32Array.of(0, 2));
  to.number(1);
  to.column(Int32Array.of(10));
  to.column(Float64Array.of(1));
  to.column(Float64Array.of(1, 0));
  to.column(Int32Array.of(10));
  to.column(Uint16Array.of(0, 1));
  to.number(0);
  const before = Buffer.concat(to.finish());
  const found: PaneRequests[] = [];
  const adopt = { adoptRequests: (requests: PaneRequests) => found.push(requests) };
  runAtOnce(readPartitionRequests(new BinaryReader(before), adopt, undefined, IDS as never));
  const [{ items, served }] = found;
  expect([[...served], [...items.item], [...items.reward], [...items.ranks[0]!]]).toEqual([
    [0],
    [-1, -1],
    [1, 0],
    [0, 1],
  ]);
  const again = new BinaryWriter();
  runAtOnce(writePartitionRequests(again, found, new Map(), IDS as never));
  expect(Buffer.concat(again.finish())).toEqual(before);
});

describe('randomly drawn lists', () => {
  /** Lists drawn from 40 items for positions 1 and 2, and from an unknown number of items. */
  const drawn = () =>
    new RequestPartition()
      .list({ id: 1, ts: 10, items: [5, 6], request: 7, share: 0.5, user: 1, isServed: true })
      .list({
        id: 2,
        ts: 10,
        items: [6, 8],
        request: 7,
        share: 0.5,
        user: 1,
        model: 1,
        firstRank: 1,
        drawnFrom: 40,
      })
      .list({
        id: 3,
        ts: 30,
        items: [5, 9],
        request: 8,
        share: 1,
        user: 2,
        isServed: true,
        drawnFrom: 0,
      })
      .list({ id: 4, ts: 30, items: [9], request: 9, user: 3, isServed: true })
      .list({ id: 5, ts: 30, items: [9], request: 9, user: 3, model: 1, drawnFrom: 40 });
  const columns = ({ drawn: own }: { drawn?: DrawnLists | undefined }) =>
    own && [own.model, own.candidates, own.start, own.end].map((each) => [...each]);

  it('survive a checkpoint in open and in closed panes', () => {
    const open = drawn();
    open.close(0);
    expect(columns(clone(open).close(2).requests!)).toEqual(columns(open.close(2).requests!));
    const closed = drawn();
    closed.closeThrough(2);
    const restored = clone(closed);
    expect(restored.state.closed.requests).toEqual(closed.state.closed.requests);
  });
});

describe('lists drawn by a stochastic logger', () => {
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

  it('continue unchanged after a checkpoint, in open and in closed panes', () => {
    const one = logged();
    one.closeThrough(0);
    const other = clone(one);
    expect(written(other)).toEqual(written(one));
    for (const partition of [one, other]) partition.close(1);
    const closed = one.close(2);
    const restored = other.close(2);
    expect(closed.requests!.logged).toBeDefined();
    expect(restored.requests).toEqual(closed.requests);
    expect(clone(one).state.closed.requests).toEqual(one.state.closed.requests);
  });

  it('can be limited to some users', () => {
    const own = retainedRequests(logged().closeThrough(2).requests!, (user) => user === 2)!;
    expect([[...own.logged!.kind], [...own.logged!.propensity]]).toEqual([[2], [0.5, 0.25]]);
    expect(own.logged!.wholeLevel).toBe(0);
  });
});
