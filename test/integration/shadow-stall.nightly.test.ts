import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { ShadowFlow } from '../support/shadow-flow.js';
import { isLiked } from '../support/shadow-traffic.js';
import { TestTopics } from '../support/topics.js';
import { turnsSince, turnsTo } from '../support/turns.js';

const WORLD = { users: 3_000, items: 400, seed: 5 };
const USERS_PER_SECOND = 600;
const WARM_UP_MS = 10_000;
const LONGEST_MS = 20;
/** The learning stands back where the processors do not suffice for all. */
const LEARNED_WITHIN_MS = 360_000;

it('the longest turn of a program is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-turns-'));
  const file = join(folder, 'turns.json');
  // What the process takes of the processor is next to all of this thread.
  const program = `
    const busy = () => { const from = process.cpuUsage().user; while (process.cpuUsage().user < from + 60_000); };
    setTimeout(busy, 500);
    setTimeout(() => {}, 3_000);`;
  const env = { ...process.env, ...turnsTo(file) };
  const child = spawn(process.execPath, ['-e', program], { env, stdio: 'ignore' });
  await once(child, 'exit');
  expect(turnsSince(file, 0).filter(({ ms }) => ms > 2 * LONGEST_MS)).toHaveLength(1);
  rmSync(folder, { recursive: true, force: true });
});

it('a baseline is learned twice as tastes shift, and no turn of a service takes 20 ms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-shadow-stall-'));
  const [out, turnsFile] = [join(folder, 'lists'), join(folder, 'turns.json')];
  const topics = await TestTopics.create(inject('kafkaBrokers'), 2);
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    ...turnsTo(turnsFile),
    UNSKEW_SHADOW_KIND: 'mf-ips',
    UNSKEW_SHADOW_PROPENSITIES: 'nb',
    UNSKEW_SHADOW_FACTORS: '5',
    UNSKEW_SHADOW_LAMBDA: '0.001',
    UNSKEW_SHADOW_SCHEDULE: '*/10 * * * * *',
    UNSKEW_SHADOW_SETTLE: '500ms',
    UNSKEW_SHADOW_RANGE: '20s',
    UNSKEW_SHADOW_LENGTH: '100',
    UNSKEW_SHADOW_OUT: out,
    UNSKEW_POSITIVE_MIN_VALUE: '4',
    UNSKEW_TIME_TICK: '2s',
    UNSKEW_TIME_WINDOWS: '1m',
    UNSKEW_TIME_LATENESS: '500ms',
    UNSKEW_ESTIMATES_METRICS: 'recall,mae,mse',
  });
  const traffic = new ShadowFlow(topics, WORLD, USERS_PER_SECOND);
  try {
    const setsOf = () =>
      existsSync(out) ? readdirSync(out).filter((set) => hasLists(out, set)) : [];
    const made = async (awaited: string, more: number) => {
      const before = setsOf().length;
      await eventually(
        awaited,
        async () => setsOf().length,
        (count) => count >= before + more,
        LEARNED_WITHIN_MS,
      );
    };
    await made('a first baseline', 1);
    await sleep(WARM_UP_MS);
    const from = Date.now();
    traffic.isShifted = true;
    await made('two more', 2);
    await eventually(
      'one of the shifted traffic',
      async () => likedShare(out, setsOf().sort().at(-1)!),
      (share) => share > 0.7,
      LEARNED_WITHIN_MS,
    );
    await sleep(3_000);
    expect(turnsSince(turnsFile, from).filter(({ ms }) => ms > LONGEST_MS)).toEqual([]);
    expect(turnsSince(turnsFile, 0).length).toBeGreaterThan(0);
    expect((await service.get('/api/v1/estimates')).body).toContain('"model":"mf-ips"');
  } finally {
    await traffic.stop();
    await service.stop();
    await topics.delete();
    rmSync(folder, { recursive: true, force: true });
  }
});

const hasLists = (out: string, set: string) => existsSync(join(out, set, 'manifest.json'));

/** Share of the lists' first items that users like after the shift. */
function likedShare(out: string, set: string): number {
  const lines = readFileSync(join(out, set, 'lists.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const liked = lines.filter((line) => {
    const { user, items } = JSON.parse(line) as { user: string; items: string[] };
    return isLiked(Number(user.slice(1)), Number(items[0]!.slice(1)), true);
  });
  return liked.length / lines.length;
}
