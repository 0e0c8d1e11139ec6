import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { eventually, RunningService } from '../support/program.js';
import { run } from '../unit/cli/fake-io.js';

const USERS = ['--users', '200', '--seed', '3'];

const folder = mkdtempSync(join(tmpdir(), 'unskew-demo-lists-'));
let demo: RunningService | undefined;
afterAll(async () => {
  await demo?.stop();
  rmSync(folder, { recursive: true });
});

async function unskew(...args: string[]): Promise<void> {
  const { code, stderr } = await run(args, BODIES);
  expect(code, stderr).toBe(0);
}

it('lists that were learned from a simulated log are evaluated in a demonstration of the same users', async () => {
  await unskew('simulate', '--out', folder, '--cycles', '6', ...USERS);
  const lists = join(folder, 'ials.ndjson');
  const from = ['--events', join(folder, 'train.ndjson'), '--keep-rated'];
  await unskew('train', '--kind', 'ials', ...from, '--out', lists);
  const flags = ['--plain', '--speed', '10', '--backlog', '2', '--port', '0', ...USERS];
  demo = await RunningService.start(['demo', ...flags, '--lists', lists]);
  const seen = await eventually(
    'estimates of the learned lists',
    async () => {
      const { status, body } = await demo!.get('/api/v1/estimates');
      return status === 200 ? (JSON.parse(body) as Snapshot) : undefined;
    },
    (snapshot) => valuesOf(snapshot, 'ials').length > 0,
  );
  expect(valuesOf(seen, 'personal').length).toBeGreaterThan(0);
  const truth = seen!.truth!.filter(({ model }) => model === 'ials');
  expect(truth.length).toBe(seen!.truth!.filter(({ model }) => model === 'personal').length);
  for (const { value } of truth) expect(value).toBeGreaterThan(0);
}, 400_000);

function valuesOf(snapshot: Snapshot | undefined, of: string): number[] {
  const rows = snapshot?.windows.flatMap(({ results }) => results) ?? [];
  return rows.flatMap(({ model, value }) => (model === of && value > 0 ? [value] : []));
}
