import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestTopics } from '../../support/topics.js';
import type { ImageConfig } from './buildah.js';
import type { Container, Launch } from './container.js';
import { nightOf } from './deployed.js';

const DAY_MS = 86_400_000;
const USERS = 50;
const ITEMS = Array.from({ length: 20 }, (_, n) => `i${n}`);

/** Each user sees a list that begins elsewhere, and takes the first of it. */
async function sendEvents(topics: TestTopics, at: number): Promise<void> {
  const users = Array.from({ length: USERS }, (_, n) => ({ user: `u${n}`, ts: at + n, n }));
  const lists = users.map(({ user, ts, n }) => {
    const start = (n * n) % ITEMS.length;
    const items = [...ITEMS.slice(start), ...ITEMS.slice(0, start)];
    return { id: `e-${ts}`, ts, user, model: 'm', items };
  });
  const takes = lists.map(({ ts, user, items }) => ({ id: `c-${ts}`, ts, user, item: items[0] }));
  const message = (event: { user: string }) => ({ key: event.user, value: JSON.stringify(event) });
  await topics.send('exposures', lists.map(message));
  await topics.send('interactions', takes.map(message));
}

/** The nightly export of the manifests makes yesterday's set, and leaves one that is there alone. */
export async function checkNight(
  files: string,
  config: ImageConfig,
  topics: TestTopics,
  run: <T>(launch: Launch, use: (container: Container) => Promise<T>) => Promise<T>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-night-'));
  try {
    // Both, since today may be yesterday by the time that the job looks.
    for (const at of [Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2, Date.now() - USERS])
      await sendEvents(topics, at);
    const launch = nightOf(files, config, folder, topics.settings);
    const make = () =>
      run(launch, async (container) => {
        assert.equal(await container.ended, 0, container.output);
      });
    await make();
    const [day, ...others] = readdirSync(join(folder, 'sets'));
    assert.deepEqual(others, []);
    const manifest = join(folder, 'sets', day!, 'manifest.json');
    assert.equal(JSON.parse(readFileSync(manifest, 'utf8')).counts.interactions, USERS);
    const { mtimeMs } = statSync(manifest);
    await make();
    assert.equal(statSync(manifest).mtimeMs, mtimeMs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
