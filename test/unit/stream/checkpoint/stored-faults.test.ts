import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { xxHash32 } from '../../../../src/state/binary/xxhash32.js';
import { openCheckpoint } from '../../../../src/stream/checkpoint/checkpoint.js';
import {
  readStored,
  storedCounts,
  storedFaults,
} from '../../../../src/stream/checkpoint/stored-partition.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { goldenLog, goldenOptions, readFirstPart } from '../../../fixtures/golden-log.js';
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

  it('reports its numbers of models, event ids, users and rows', () => {
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

describe('invalid content under a valid checksum', () => {
  it('is reported for bytes behind the end', () => {
    const reader = halfway();
    reader.checkpoint(0);
    const bytes = Buffer.concat([reader.checkpoints.get(0)!, Buffer.alloc(32)]);
    expect(faults(sealed(Uint8Array.from(bytes)))).toEqual([
      expect.stringMatching(/^\d+ bytes behind its end$/),
    ]);
  });
});
