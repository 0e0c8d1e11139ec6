import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventReader } from '../../../src/commands/files/read-events.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Interner } from '../../../src/state/ids/interner.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { quietIo } from '../../support/quiet-io.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-reader-'));
});
afterAll(() => rm(folder, { recursive: true }));

const reader = (signal = new AbortController().signal) =>
  new EventReader({
    decoder: { maxFutureMs: 1e15 },
    maxEventBytes: 1 << 20,
    users: new Interner(),
    ids: { items: new Interner(), models: new Interner() },
    maxFaults: 0,
    io: { ...quietIo, signal },
  });

const LOG = Array.from({ length: 20_000 }, (_, n) =>
  encodeEvent({ type: 'interaction', id: `x${n}`, ts: n, user: `u${n % 97}`, item: 'i' }),
).join('\n');

describe('an EventReader', () => {
  it('reports with each chunk what share of the files is read', async () => {
    const path = join(folder, 'events.ndjson');
    await writeFile(path, LOG);
    const shares: number[] = [];
    const rows: number[] = [];
    await reader().read([path, path], new Outcomes(), ({ length }, _, share) => {
      shares.push(share);
      rows.push(length);
    });
    expect(shares.length).toBeGreaterThan(4);
    let before = 0;
    // The file is read ahead of what is decoded.
    shares.forEach((share, n) => {
      before += rows[n]!;
      expect(share).toBeGreaterThanOrEqual(before / 40_000 - 1e-9);
      expect(share).toBeLessThan(before / 40_000 + 0.2);
    });
    expect(shares.at(-1)).toBe(1);
  });

  it('passes on what it read before it rejects truncated gzip data', async () => {
    const path = join(folder, 'short.ndjson.gz');
    await writeFile(path, gzipSync(LOG, { level: 0 }).subarray(0, -20));
    let rows = 0;
    const read = reader().read([path], new Outcomes(), ({ length }) => {
      rows += length;
    });
    await expect(read).rejects.toThrow('ends too early');
    expect(rows).toBeGreaterThan(15_000);
  });

  it('rejects with "interrupted" when it is aborted', async () => {
    const path = join(folder, 'events.ndjson');
    await writeFile(path, LOG);
    const read = reader(AbortSignal.abort()).read([path], new Outcomes(), () => {});
    await expect(read).rejects.toThrow('interrupted');
  });
});
