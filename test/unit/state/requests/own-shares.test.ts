import { describe, expect, it } from 'vitest';
import { BinaryReader } from '../../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../../src/state/binary/binary-writer.js';
import {
  type PaneRequests,
  retainedRequests,
} from '../../../../src/state/requests/pane-requests.js';
import { runOf, shareOf } from '../../../../src/state/requests/request-kinds.js';
import { readRequests, writeRequests } from '../../../../src/state/requests/stored-requests.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { RequestPartition } from '../../../support/request-partition.js';

const IDS = {
  items: {
    // biome-ignore lint/correctness/useYield: there is nothing to wait for.
    *write(to: BinaryWriter, ids: Int32Array) {
      to.column(ids);
    },
    column: (from: BinaryReader) => from.int32(),
  },
  models: { place: (model: number) => model, id: (place: number) => place },
};

/** The share of the first of two arms in request q: no two are alike, and no float of 4 bytes is. */
const firstShare = (q: number) => 0.1 + 0.8 * (((q + 1) * 0.6180339887498949) % 1);

/** Requests that each have shares of their own. */
function closedWith(requests: number, sharesOfRequest: (q: number) => readonly number[]) {
  const partition = new RequestPartition();
  for (let q = 0; q < requests; q++) {
    for (const [model, share] of sharesOfRequest(q).entries()) {
      const own = { ts: 10, request: q + 1, user: q, id: 32 * q + model + 1 };
      partition.list({ ...own, items: [1, 2], share, model, isServed: model === 0 });
    }
  }
  return partition.closeThrough(2).requests!;
}

/** A softmax of weights that follow the request. */
function softmax(q: number, arms: number): number[] {
  const weights = Array.from({ length: arms }, (_, n) => Math.exp(Math.sin(1 + 7 * q + 3 * n)));
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => each / sum);
}

/** Requests with two arms and, in every third, a challenger. */
function closed(requests: number): PaneRequests {
  const partition = new RequestPartition();
  for (let q = 0; q < requests; q++) {
    const own = { ts: 10, request: q + 1, user: q };
    const first = firstShare(q);
    partition.list({ ...own, id: 4 * q + 1, items: [1, 2], share: first, isServed: true });
    partition.list({ ...own, id: 4 * q + 2, items: [2, 3], share: 1 - first, model: 1 });
    if (q % 3 === 0) partition.list({ ...own, id: 4 * q + 3, items: [3], model: 2 });
  }
  return partition.closeThrough(2).requests!;
}

function sharesOf({ kinds, kind, length }: PaneRequests): number[][] {
  return Array.from({ length }, (_, q) => [0, 1, 2].map((model) => shareOf(kinds, kind[q], model)));
}

/** Bytes of the columns besides items. */
function bytesOf({ items: _, kinds, ...columns }: PaneRequests): number {
  const all = [kinds.shares, ...Object.values(columns)].filter((each) => ArrayBuffer.isView(each));
  return all.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

describe('requests with shares of their own', () => {
  it('keep each share exactly, whatever lists other requests have', () => {
    const requests = closed(100);
    const given = sharesOf(requests);
    expect(requests.kinds.length).toBe(100);
    const sets = requests.kinds.runs.map(({ models, coding }) => `${models} ${coding.rest}`);
    expect(sets.sort()).toEqual(['0,1 0', '0,1 1', '0,1,2 0', '0,1,2 1']);
    expect([...requests.user].sort((a, b) => a - b)).toEqual([...given.keys()]);
    for (const [q, user] of requests.user.entries()) {
      const first = firstShare(user);
      expect(given[q]).toEqual([first, 1 - first, Number.NaN]);
      const { models } = runOf(requests.kinds, requests.kind[q]);
      expect(models.includes(2)).toBe(user % 3 === 0);
    }
  });

  it('take at most 61 bytes besides items, also after users are removed', () => {
    const requests = closed(1000);
    expect(bytesOf(requests) / requests.length).toBeLessThan(61);
    const left = retainedRequests(requests, (user) => user % 10 === 0)!;
    expect([left.length, left.kinds.length]).toEqual([100, 100]);
    expect(bytesOf(left) / left.length).toBeLessThan(61);
    const given = sharesOf(requests);
    expect(sharesOf(left)).toEqual(given.filter((_, q) => requests.user[q] % 10 === 0));
  });

  it.each([
    ['any shares of 6 arms', 6, (each: number) => each],
    ['32-bit floats for 9 arms', 9, Math.fround],
    ['9 decimals for 9 arms', 9, (each: number) => Math.round(each * 1e9) / 1e9],
    ['7 decimals for 12 arms', 12, (each: number) => Math.round(each * 1e7) / 1e7],
    ['4 decimals for 18 arms', 18, (each: number) => Math.round(each * 1e4) / 1e4],
  ])('take at most 61 bytes and stay exact: %s', (_, arms, rounded) => {
    const shares = (q: number) => softmax(q, arms).map(rounded);
    const { kinds, kind, user, ...columns } = closedWith(50, shares);
    const requests = { kinds, kind, user, ...columns };
    expect([requests.length, kinds.length]).toEqual([50, 50]);
    expect(bytesOf(requests) / requests.length).toBeLessThan(61);
    for (const [q, from] of user.entries()) {
      const own = Array.from({ length: arms }, (__, model) => shareOf(kinds, kind[q], model));
      expect(own).toEqual(shares(from));
    }
  });

  it('are the same after writing and reading', () => {
    const requests = closed(50);
    const to = new BinaryWriter();
    runAtOnce(writeRequests(to, requests, IDS as never));
    const read = readRequests(new BinaryReader(Buffer.concat(to.finish())), IDS as never);
    expect(read).toEqual({ ...requests, drawn: undefined, logged: undefined });
  });
});
