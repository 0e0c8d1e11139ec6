import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { eventually, RunningService } from '../support/program.js';
import type { SentSnapshot } from '../support/sent-snapshot.js';
import { run } from '../unit/cli/fake-io.js';
import { sharedBrowser } from './shared-browser.js';

// So few users make no verdict: at night test/page/demo-story.nightly.test.ts has the whole story.
const USERS = ['--users', '100', '--seed', '3'];
const MODELS = ['blend', 'ials', 'personal', 'shuffled', 'trending'];
const PATIENCE_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'unskew-demo-'));
let browser: Browser;
let demo: RunningService;

async function unskew(...args: string[]): Promise<void> {
  const { code, stderr } = await run(args, BODIES);
  expect(code, stderr).toBe(0);
}

beforeAll(async () => {
  await unskew('simulate', '--out', folder, '--cycles', '6', ...USERS);
  const lists = join(folder, 'ials.ndjson');
  const from = ['--events', join(folder, 'train.ndjson'), '--keep-rated'];
  await unskew('train', '--kind', 'ials', ...from, '--out', lists);
  browser = await sharedBrowser();
  const flags = ['--port', '0', '--speed', '5', '--lists', lists, ...USERS];
  demo = await RunningService.start(['demo', ...flags]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  rmSync(folder, { recursive: true });
});

it('the demo shows its models and raises an alarm for the one that drifts to popular items', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(demo.address);
  const rows = page.locator('#standing tr[data-model]');
  const modelsOf = () =>
    rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-model')));
  await expect.poll(modelsOf).toEqual(expect.arrayContaining(MODELS));
  const alarm = page.locator('#changed .alarm', { hasText: 'personal' });
  await alarm.waitFor({ timeout: PATIENCE_MS });
  const said = (await alarm.textContent())!.replaceAll('\u00a0', ' ');
  expect(said).toMatch(
    /UTC personal( −\d\d %)? after Deploy: retrained without popularity correction\./,
  );
  const { alarms } = JSON.parse((await demo.get('/api/v1/estimates')).body) as SentSnapshot;
  const blamed = alarms.filter(({ suppressed }) => suppressed === null);
  expect(blamed.length).toBeGreaterThan(0);
  for (const { models } of blamed) expect(models).toEqual(['personal']);
});

it('the demo evaluates lists learned from a simulated log of the same users', async () => {
  const seen = await eventually(
    'estimates of the learned lists',
    async () => {
      const { status, body } = await demo.get('/api/v1/estimates');
      return status === 200 ? (JSON.parse(body) as Snapshot) : undefined;
    },
    (snapshot) => valuesOf(snapshot, 'ials').length > 0,
  );
  expect(valuesOf(seen, 'personal').length).toBeGreaterThan(0);
  const truth = seen!.truth!.filter(({ model }) => model === 'ials');
  expect(truth.length).toBe(seen!.truth!.filter(({ model }) => model === 'personal').length);
  for (const { value } of truth) expect(value).toBeGreaterThan(0);
});

function valuesOf(snapshot: Snapshot | undefined, of: string): number[] {
  const rows = snapshot?.windows.flatMap(({ results }) => results) ?? [];
  return rows.flatMap(({ model, value }) => (model === of && value > 0 ? [value] : []));
}
