import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { built } from '../support/built.js';
import { smallOptions } from '../support/log.js';
import { unskew } from '../support/program.js';
import { quietIo } from '../support/quiet-io.js';

const OPTIONS = smallOptions({ attributionTtlMs: 86_400_000, baseline: 'popularity' });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-crew-'));
  const size = ['--users', '150', '--cycles', '3', '--randomized-share', '0.2'];
  expect((await unskew(['simulate', '--out', folder, ...size])).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

async function evaluated(threads: number): Promise<{ snapshot: Snapshot; outcomes: object }> {
  const { openReader } = await built<typeof import('../../src/commands/files/open-reader.js')>(
    'commands/files/open-reader.js',
  );
  const { startCrew } =
    await built<typeof import('../../src/commands/files/crew.js')>('commands/files/crew.js');
  const { Interner } =
    await built<typeof import('../../src/state/ids/interner.js')>('state/ids/interner.js');
  const { Evaluation } =
    await built<typeof import('../../src/stream/evaluation.js')>('stream/evaluation.js');
  const { Outcomes } =
    await built<typeof import('../../src/stream/outcomes.js')>('stream/outcomes.js');
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const outcomes = new Outcomes();
  const evaluation = new Evaluation(OPTIONS, ids, outcomes);
  const decoder = { maxFutureMs: 1e15 };
  const common = { maxEventBytes: 1 << 20, maxFaults: 0, io: quietIo };
  const reader = openReader(threads, { ...common, decoder, ids, users });
  const crew = startCrew(threads);
  try {
    for (const part of ['train', 'events'] as const) {
      await reader.read([join(folder, `${part}.ndjson`)], outcomes, (...chunk) =>
        evaluation.accept(part, ...chunk),
      );
    }
    return { snapshot: await evaluation.result(crew), outcomes: { ...outcomes } };
  } finally {
    await reader.close();
    await crew.end();
  }
}

it('an evaluation is the same to the bit, whatever the number of threads', async () => {
  const alone = await evaluated(1);
  expect(alone.snapshot.windows[0]!.results.length).toBeGreaterThan(100);
  // As many threads as shards, fewer, and more.
  for (const threads of [2, 3, 4, 6]) expect(await evaluated(threads)).toEqual(alone);
});
