import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hashBytes } from '../../../../src/events/hash.js';
import { forgottenToo, refusalOf } from '../../../../src/state/ids/forgotten-users.js';
import { Interner, numberOf } from '../../../../src/state/ids/interner.js';
import { openCheckpoint } from '../../../../src/stream/checkpoint/checkpoint.js';
import { withoutNames } from '../../../../src/stream/checkpoint/forget.js';
import {
  readStored,
  storedCounts,
  storedFaults,
} from '../../../../src/stream/checkpoint/stored-partition.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { goldenLog, goldenOptions } from '../../../fixtures/golden-log.js';
import { RestartedReader } from '../../../support/restarts.js';

const NOBODY = { salt: 'a salt', users: [] };
const FIXTURES = [
  'checkpoint-v1.bin',
  'checkpoint-v1-sampled.bin',
  'checkpoint-v2.bin',
  'checkpoint-v2-sampled.bin',
  'checkpoint-v2-real-traffic.bin',
];
const ROLES = ['exposures', 'interactions'] as const;
/** The users of the second partition. */
const knownTo = (reader: RestartedReader) => {
  const users = reader.ingest.monitor.partitions.ids.users!(1) as unknown as Interner;
  return Array.from({ length: users.size }, (_, user) => users.text(user));
};
const stored = (bytes: Uint8Array) => runAtOnce(readStored(runAtOnce(openCheckpoint(bytes))));

it.each(FIXTURES)(
  'withoutNames removes users and leaves the rest of a checkpoint unchanged: %s',
  (name) => {
    const bytes = new Uint8Array(
      readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url)),
    );
    const before = stored(bytes);
    const known = Array.from({ length: before.users.size }, (_, n) => before.users.text(n));
    const two = [known[0]!, known.at(-1)!];
    const forgotten = forgottenToo(two, NOBODY);
    let n = 0;
    const letters = (count: number) => `${n++}`.repeat(count).slice(0, count);
    const { chunks, found } = runAtOnce(
      withoutNames(bytes, [...two, 'nobody at all'], forgotten, letters),
    );
    expect(found).toBe(2);
    const after = stored(Buffer.concat(chunks));
    expect(storedFaults(after)).toEqual([]);
    expect(after.head).toEqual({ ...before.head, forgotten });
    expect(storedCounts(after)).toEqual(storedCounts(before));
    for (const name of two) expect(numberOf(after.users, name)).toBe(-1);
    for (const [user, text] of known.entries()) {
      if (two.includes(text)) expect(after.users.text(user)).toMatch(/^forgotten-\d+$/);
      else expect(after.users.text(user)).toBe(text);
    }
    const rows = before.state.closed.rows.map(({ user, item }) => [user, item]);
    expect(after.state.closed.rows.map(({ user, item }) => [user, item])).toEqual(rows);
    // Run it again, as after an interruption.
    const again = runAtOnce(
      withoutNames(Buffer.concat(chunks), two, forgottenToo(two, forgotten), letters),
    );
    expect(again.found).toBe(0);
    expect(stored(Buffer.concat(again.chunks)).head.forgotten).toEqual(forgotten);
  },
);

it('the interner refuses forgotten users and accepts others', () => {
  const users = new Interner();
  const number = (name: string) => {
    const bytes = new TextEncoder().encode(name);
    return users.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  };
  const forgotten = forgottenToo(['erin', 'zoë'], NOBODY);
  expect(JSON.stringify(forgotten)).not.toMatch(/erin|zoë/);
  users.refuses = refusalOf(forgotten);
  expect(['ann', 'erin', 'zoë', 'erin2', 'eri'].map(number)).toEqual([0, -1, -1, 1, 2]);
  expect(users.size).toBe(3);
  const others = forgottenToo(['erin'], { ...NOBODY, salt: 'another' });
  expect(others.users[0]).not.toBe(forgotten.users[0]);
});

it('a partition without a checkpoint also refuses forgotten users, and stores that', () => {
  const reader = new RestartedReader(goldenLog, goldenOptions, 2);
  const read = () => {
    for (const p of [0, 1]) for (const role of ROLES) reader.read(role, p, goldenLog.length);
  };
  read();
  reader.checkpoint(0);
  const [elsewhere] = knownTo(reader);
  const forgotten = forgottenToo([elsewhere!], NOBODY);
  const { chunks } = runAtOnce(
    withoutNames(reader.checkpoints.get(0)!, [elsewhere!], forgotten, (n) => 'x'.repeat(n)),
  );
  reader.checkpoints.set(0, Buffer.concat(chunks));
  for (const backwards of [false, true]) {
    reader.restart(backwards);
    read();
    expect(knownTo(reader).length).toBeGreaterThan(0);
    expect(knownTo(reader)).not.toContain(elsewhere);
    reader.checkpoint(1);
    expect(stored(reader.checkpoints.get(1)!).head.forgotten).toEqual(forgotten);
    reader.checkpoints.delete(1);
  }
});
