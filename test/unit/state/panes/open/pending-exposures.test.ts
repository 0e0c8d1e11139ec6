import { describe, expect, it } from 'vitest';
import { ExposureColumns, HAS_REQUEST, REQUEST } from '../../../../../src/events/columns.js';
import { BinaryReader } from '../../../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../../../src/state/binary/binary-writer.js';
import type { EventDictionaries, EventPlaces } from '../../../../../src/state/ids/dictionaries.js';
import { PendingExposures } from '../../../../../src/state/panes/pending-exposures.js';
import { runAtOnce } from '../../../../../src/stream/sliced.js';

const COUNT = 200;
const isOfRequest = (r: number) => r > 80 && r % 3 === 0;

/** Lists of one item each, many of them of a request, each of whose columns has its own number. */
function someExposures(hasRequest: (r: number) => boolean = isOfRequest): ExposureColumns {
  const columns = new ExposureColumns(COUNT, COUNT);
  if (hasRequest !== never) columns.reserveRequest();
  for (let r = 0; r < COUNT; r++) {
    columns.user[r] = r;
    columns.items[r] = r;
    columns.listStart[r + 1] = r + 1;
    if (!hasRequest(r)) continue;
    columns.flags[r] = HAS_REQUEST;
    Object.keys(REQUEST).forEach((name, c) => {
      columns.requests[name as keyof typeof REQUEST][r] = r + c;
    });
  }
  columns.length = COUNT;
  return columns;
}

const never = () => false;

function pendingOf(columns: ExposureColumns, pending = new PendingExposures()): PendingExposures {
  for (let r = 0; r < columns.length; r++) pending.add(columns, r, columns.flags[r]);
  return pending;
}

/** By user: the request columns of the list. */
function requestsOf({ length, user, flags, requests }: PendingExposures): unknown[] {
  return Array.from({ length }, (_, r) => [
    user[r],
    (flags[r] & HAS_REQUEST) === 0
      ? []
      : Object.keys(REQUEST).map((name) => requests[name as keyof typeof REQUEST][r]),
  ]);
}

const wanted = (users: readonly number[]) =>
  users.map((user) => [user, isOfRequest(user) ? [0, 1, 2, 3, 4, 5].map((c) => user + c) : []]);
const ALL = Array.from({ length: COUNT }, (_, r) => r);

const dictionary = {
  *write(to: BinaryWriter, ids: Int32Array, length: number) {
    to.column(ids, length);
    yield;
  },
};
const IDS = { items: dictionary, names: dictionary } as unknown as EventDictionaries;
const asTheyAre = { column: (from: BinaryReader) => from.int32() };
const PLACES = { items: asTheyAre, names: asTheyAre } as unknown as EventPlaces;

function readBack(bytes: Uint8Array): PendingExposures {
  const pending = new PendingExposures();
  pending.read(new BinaryReader(bytes), PLACES);
  return pending;
}

describe('pending exposures', () => {
  it('keep their requests if others are removed and more are added', () => {
    const pending = pendingOf(someExposures());
    pending.retain((user) => user % 2 === 1, never);
    expect(requestsOf(pending)).toEqual(wanted(ALL.filter((user) => user % 2 === 1)));
    pending.remove([...ALL.keys()].slice(0, 99));
    pendingOf(someExposures(), pending);
    expect(requestsOf(pending)).toEqual(wanted([199, ...ALL]));
  });

  it('keep their captured requests through a checkpoint, and then accept more', () => {
    const pending = pendingOf(someExposures());
    const write = pending.capture();
    pending.retain(never, never);
    const to = new BinaryWriter();
    runAtOnce(write(to, IDS));
    const read = readBack(Buffer.concat(to.finish()));
    expect(requestsOf(read)).toEqual(wanted(ALL));
    expect([...read.listStart.subarray(0, COUNT + 1)]).toEqual([...ALL, COUNT]);
    expect(requestsOf(pendingOf(someExposures(), read))).toEqual(wanted([...ALL, ...ALL]));
  });
});
