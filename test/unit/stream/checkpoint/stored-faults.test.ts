import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xxHash32 } from '../../../../src/state/binary/xxhash32.js';
import { openCheckpoint } from '../../../../src/stream/checkpoint/checkpoint.js';
import { storedFaults } from '../../../../src/stream/checkpoint/stored-faults.js';
import { readStored, storedCounts } from '../../../../src/stream/checkpoint/stored-partition.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import {
  goldenLog,
  goldenOptions,
  readFirstPart,
  sampledOptions,
} from '../../../fixtures/golden-log.js';
import { aLogOf } from '../../../support/random-log.js';
import { repetitions } from '../../../support/repetitions.js';
import { RestartedReader } from '../../../support/restarts.js';

function fixture(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url)));
}

const stored = (bytes: Uint8Array) => runAtOnce(readStored(runAtOnce(openCheckpoint(bytes))));
const faults = (bytes: Uint8Array) => storedFaults(stored(bytes));

/** A reader in the middle of the golden log. */
function halfway(options = goldenOptions): RestartedReader {
  const reader = new RestartedReader(goldenLog, options, 1);
  readFirstPart(reader);
  return reader;
}

/** What a fault of the program would write: other content under a sound checksum. */
function withHead(bytes: Uint8Array, change: (head: Record<string, unknown>) => void): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getFloat64(32, true);
  const head = JSON.parse(Buffer.from(bytes.subarray(40, 40 + length)).toString());
  change(head);
  const text = Buffer.from(JSON.stringify(head));
  // The place of the head is as long as before: JSON may end with spaces.
  if (text.length > length) throw new Error('the head has become longer');
  const changed = bytes.slice();
  changed.set(Buffer.alloc(length, ' '), 40);
  changed.set(text, 40);
  return sealed(changed);
}

function sealed(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setFloat64(16, bytes.length, true);
  view.setUint32(
    12,
    xxHash32(bytes.subarray(16), bytes.length - 16, view.getUint32(8, true)),
    true,
  );
  return bytes;
}

describe('a checkpoint that was written by this program', () => {
  it.each([
    'checkpoint-v1.bin',
    'checkpoint-v1-sampled.bin',
    'checkpoint-v2.bin',
    'checkpoint-v2-sampled.bin',
    'checkpoint-v2-real-traffic.bin',
  ])('has no fault: %s', (name) => {
    expect(faults(fixture(name))).toEqual([]);
  });

  it('has none at any moment of any log, also where users are sampled', () => {
    const limits = { rows: 24, listEntries: 60, users: 12 };
    for (const options of [goldenOptions, sampledOptions, { ...goldenOptions, limits }]) {
      fc.assert(
        fc.property(aLogOf(60), fc.array(fc.nat(9), { minLength: 8 }), (log, steps) => {
          const reader = new RestartedReader(log, options, 2);
          for (const [n, count] of steps.entries()) {
            reader.read(n % 3 === 0 ? 'exposures' : 'interactions', n % 2, count);
            reader.checkpoint(n % 2);
          }
          for (const bytes of reader.checkpoints.values()) expect(faults(bytes)).toEqual([]);
        }),
        { numRuns: repetitions(6, 300) },
      );
    }
  });

  it('says how much it holds', () => {
    const reader = halfway();
    reader.checkpoint(0);
    const { models, eventIds, users, rows } = storedCounts(stored(reader.checkpoints.get(0)!));
    const read = [...goldenLog.filter(({ type }) => type === 'exposure').slice(0, 12)].length + 25;
    expect(models).toEqual(['m0', 'm1']);
    expect(eventIds).toBe(read);
    expect(users).toBe(4);
    expect(rows).toBeGreaterThan(0);
  });
});

describe('content that cannot be, under a sound checksum', () => {
  it('is a user who interacted with nothing', () => {
    const reader = halfway();
    const { state, closedThrough } = reader.ingest.monitor.partitions.of(0);
    const one = { ids: Int32Array.of(0), counts: Int32Array.of(1) };
    state.closed.userCounts.add(one, (closedThrough + 1) * goldenOptions.tickMs);
    reader.checkpoint(0);
    expect(faults(reader.checkpoints.get(0)!)).toEqual([
      expect.stringMatching(/^\d+ interactions of users, and \d+ of items$/),
    ]);
  });

  it('is a count below 0', () => {
    const reader = halfway();
    const { state, closedThrough } = reader.ingest.monitor.partitions.of(0);
    const less = { ids: Int32Array.of(0, 1), counts: Int32Array.of(-99, 99) };
    state.closed.userCounts.add(less, (closedThrough + 1) * goldenOptions.tickMs);
    reader.checkpoint(0);
    expect(faults(reader.checkpoints.get(0)!)).toEqual(['a count below 0']);
  });

  it('is a pane that is open and closed, or newer than all events', () => {
    const reader = halfway();
    reader.checkpoint(0);
    const bytes = reader.checkpoints.get(0)!;
    const closed = withHead(bytes, (head) => {
      (head['progress'] as { closedThrough: number }).closedThrough += 90;
      delete head['accounts'];
    });
    expect(faults(closed)).toEqual([
      expect.stringMatching(/^pane \d+ is open, and \d+ is closed$/),
    ]);
    const early = withHead(bytes, (head) => {
      (head['progress'] as { newest: { interactions: number } }).newest.interactions = 1;
    });
    expect(faults(early)[0]).toMatch(/^rows of pane \d+, which is newer than the newest/);
  });

  it('is more that became of records than were read', () => {
    const reader = halfway();
    reader.checkpoint(0);
    const told = withHead(reader.checkpoints.get(0)!, (head) => {
      (head['next'] as { interactions: number }).interactions = 24;
    });
    expect(faults(told)).toEqual(['interactions: outcomes of 25 records, and 24 were read']);
  });

  it('is bytes behind its end', () => {
    const reader = halfway();
    reader.checkpoint(0);
    const bytes = Buffer.concat([reader.checkpoints.get(0)!, Buffer.alloc(32)]);
    expect(faults(sealed(Uint8Array.from(bytes)))).toEqual([
      expect.stringMatching(/^\d+ bytes behind its end$/),
    ]);
  });
});
