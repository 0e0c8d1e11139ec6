import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LineBlock } from '../../../src/adapters/files/line-blocks.js';
import { BlockDecoder } from '../../../src/commands/files/block-decoder.js';
import { BlockReader } from '../../../src/commands/files/block-reader.js';
import type { Decoding } from '../../../src/commands/files/decoding-threads.js';
import { EventReader } from '../../../src/commands/files/read-events.js';
import {
  type ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  type InteractionColumns,
  REQUEST,
} from '../../../src/events/columns.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Interner } from '../../../src/state/ids/interner.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { quietIo } from '../../support/quiet-io.js';
import { aLogOf } from '../../support/random-log.js';
import { repetitions } from '../../support/repetitions.js';

const MAX_BYTES = 200;
let path: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-reader-'));
  path = join(folder, 'events.ndjson');
});
afterAll(() => rm(folder, { recursive: true }));

/** Lanes that decode in this thread, each by itself; the later ones answer first. */
function decodingHere(lanes: number, maxFaults: number, maxKnownIds: number): Decoding {
  const options = { decoder: DECODER, maxEventBytes: MAX_BYTES, referenceTs: 1e15, maxFaults };
  const decoders = Array.from({ length: lanes }, () => new BlockDecoder(options, maxKnownIds));
  return {
    lanes,
    async decode(lane, block) {
      const decoded = decoders[lane]!.decode(block as LineBlock);
      for (let turns = lanes - lane; turns > 0; turns--) await Promise.resolve();
      return decoded;
    },
    close: () => Promise.resolve(),
  };
}

const DECODER = { maxFutureMs: 1e15, maxEventBytes: MAX_BYTES };

/** All that a reader leaves: rows in order, what the ids stand for, its reports, how it ended. */
async function readBy(
  make: (common: object) => Pick<BlockReader, 'read'>,
  maxFaults: number,
  signal = new AbortController().signal,
) {
  const [users, items, models] = [new Interner(), new Interner(), new Interner()];
  let told = '';
  const stderr = (line: string) => {
    told += line;
  };
  const io = { isTerminal: false, signal, stderr };
  const reader = make({ maxEventBytes: MAX_BYTES, ids: { items, models }, users, maxFaults, io });
  const outcomes = new Outcomes();
  const rows: unknown[][] = [[], []];
  const take = (interactions: InteractionColumns, exposures: ExposureColumns) => {
    for (let r = 0; r < interactions.length; r++) rows[0]!.push(rowOf(interactions, r));
    for (let r = 0; r < exposures.length; r++) rows[1]!.push(listOf(exposures, r));
  };
  const ended = await reader.read([path, path], outcomes, take).then(
    () => 'done',
    (error: Error) => error.message,
  );
  const ids = [users, items, models].map((table) =>
    Array.from({ length: table.size }, (_, id) => table.text(id)),
  );
  return ended === 'done' ? { rows, ids, told, ended, outcomes } : { told, ended };
}

function rowOf(columns: InteractionColumns, r: number): unknown[] {
  const { ts, user, item, value, idHigh, idLow, exposureHigh, exposureLow, flags } = columns;
  const all = [ts, user, item, value, idHigh, idLow, exposureHigh, exposureLow, flags];
  return all.map((column) => column[r]);
}

function listOf(columns: ExposureColumns, r: number): unknown[] {
  const { ts, user, model, idHigh, idLow, flags, candidates, listStart } = columns;
  const [from, to] = [listStart[r], listStart[r + 1]];
  return [
    ...[ts, user, model, idHigh, idLow, flags, candidates].map((column) => column[r]),
    [...columns.items.subarray(from, to)],
    (flags[r]! & HAS_PROPENSITIES) === 0 ? [] : [...columns.propensities.subarray(from, to)],
    (flags[r]! & HAS_REQUEST) === 0 ? [] : requestOf(columns, r),
  ];
}

function requestOf({ requests }: ExposureColumns, r: number): unknown[] {
  return Object.keys(REQUEST).map((name) => requests[name as keyof typeof REQUEST][r]);
}

const alone = (maxFaults: number) =>
  readBy(
    (common) => new EventReader({ ...common, decoder: DECODER, referenceTs: 1e15 } as never),
    maxFaults,
  );

const inBlocks = (maxFaults: number, lanes: number, blockBytes: number, known: number) =>
  readBy(
    (common) =>
      new BlockReader({
        ...common,
        decoding: decodingHere(lanes, maxFaults, known),
        blockBytes,
      } as never),
    maxFaults,
  );

const aLine = fc.oneof(
  { weight: 6, arbitrary: aLogOf(3).map((log) => log.map(encodeEvent).join('\n')) },
  { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', '\r', `"${'x'.repeat(300)}"`) },
);

describe('a BlockReader', () => {
  it('leaves what a reader in one thread leaves, whatever the blocks and the lanes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aLine, { maxLength: 30 }),
        fc.constantFrom(0, 3, 8, Number.POSITIVE_INFINITY),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 2000 }),
        fc.constantFrom(1, 3, 1000),
        async (lines, maxFaults, lanes, blockBytes, known) => {
          await writeFile(path, lines.join('\n'));
          const expected = await alone(maxFaults);
          expect(await inBlocks(maxFaults, lanes, blockBytes, known)).toEqual(expected);
        },
      ),
      { numRuns: repetitions(30, 150) },
    );
  });

  it('tells what a reader in one thread tells before compressed data end too early', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aLine, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(0, 3, Number.POSITIVE_INFINITY),
        ...[fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 500 })],
        async (lines, maxFaults, lanes, blockBytes) => {
          const compressed = gzipSync(lines.join('\n'), { level: 0 });
          await writeFile(path, compressed.subarray(0, -20));
          const expected = await alone(maxFaults);
          expect(expected.ended).toMatch(/ends too early|^more than/);
          expect(await inBlocks(maxFaults, lanes, blockBytes, 1000)).toEqual(expected);
        },
      ),
      { numRuns: repetitions(15, 50) },
    );
  });

  it('ends when it is interrupted', async () => {
    await writeFile(path, '{}\n');
    const decoding = decodingHere(2, 0, 10);
    const make = (common: object) => new BlockReader({ ...common, decoding } as never);
    expect(await readBy(make, 0, AbortSignal.abort())).toEqual({ told: '', ended: 'interrupted' });
  });

  it('hands on the failure of a decoder', async () => {
    await writeFile(path, '{}\n');
    const decode = () => Promise.reject(new Error('out of memory'));
    const decoding = { lanes: 2, decode, close: () => Promise.resolve() };
    const make = (common: object) => new BlockReader({ ...common, decoding } as never);
    expect(await readBy(make, 0)).toEqual({ told: '', ended: 'out of memory' });
  });

  it('tells how much of the files has come with each block', async () => {
    const log = Array.from({ length: 40 }, (_, n) =>
      encodeEvent({ type: 'interaction', id: `x${n}`, ts: n, user: 'u', item: 'i' }),
    );
    await writeFile(path, `${log.join('\n')}\n`);
    const shares: number[] = [];
    const rows: number[] = [];
    const ids = { items: new Interner(), models: new Interner() };
    const reader = new BlockReader({
      ...{ maxEventBytes: MAX_BYTES, ids, users: new Interner(), maxFaults: 0, io: quietIo },
      decoding: decodingHere(2, 0, 1000),
      blockBytes: 700,
    });
    await reader.read([path, path], new Outcomes(), ({ length }, _, share) => {
      shares.push(share!);
      rows.push(length);
    });
    expect(shares.length).toBeGreaterThan(4);
    let before = 0;
    shares.forEach((share, n) => {
      before += rows[n]!;
      expect(share).toBeCloseTo(before / 80, 1);
    });
    expect(shares.at(-1)).toBe(1);
  });
});
