import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SeriesReport } from '../../src/outputs/http/schema/history.js';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'unskew-history-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const TICK_MS = 1000;
const TOKEN = 'correct-horse-battery-staple';

async function history(service: RunningService): Promise<SeriesReport> {
  const response = await fetch(`${service.address}/api/v1/popularity/history`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return (await response.json()) as SeriesReport;
}

it('a restarted service has its earlier ticks, and its token is never logged', async () => {
  const topics = await TestTopics.create(kafkaBrokers, 1);
  const settings = {
    ...topics.settings,
    UNSKEW_TIME_TICK: '1s',
    UNSKEW_TIME_WINDOWS: '5s',
    UNSKEW_TIME_LATENESS: '0s',
    UNSKEW_ATTRIBUTION_CLOCK_SKEW: '0s',
    UNSKEW_HISTORY_DIR: join(dir, 'made', 'on', 'the', 'way'),
    UNSKEW_HTTP_TOKEN: TOKEN,
  };
  const start = Math.floor(Date.now() / TICK_MS) * TICK_MS - 60_000;
  const at = (second: number) => start + second * TICK_MS + 500;
  const clicks = Array.from({ length: 20 }, (_, second) => ({
    key: 'u',
    value: JSON.stringify({ id: `x${second}`, ts: at(second), user: 'u', item: `i${second % 3}` }),
  }));
  const lists = [0, 19].map((second) => ({
    key: 'u',
    value: JSON.stringify({
      id: `e${second}`,
      ts: at(second),
      user: 'u',
      model: 'm',
      items: ['i0', 'i1'],
    }),
  }));
  await topics.send('interactions', clicks);
  await topics.send('exposures', lists);
  const first = await RunningService.start(['serve'], settings);
  let before: SeriesReport;
  try {
    before = await eventually(
      'nineteen ticks in the history',
      () => history(first),
      ({ times }) => times.length >= 19,
    );
  } finally {
    expect(await first.stop()).toBe(0);
  }
  expect(before.series.map(({ labels }) => labels['stream'])).toContain('exposures');
  // It reads nothing of before: what it shows can only come from the folder.
  const second = await RunningService.start(['serve'], {
    ...settings,
    UNSKEW_KAFKA_START: 'latest',
  });
  try {
    expect(await history(second)).toEqual(before);
    expect((await fetch(`${second.address}/api/v1/popularity/history`)).status).toBe(401);
    expect((await fetch(`${second.address}/healthz`)).status).toBe(200);
  } finally {
    expect(await second.stop()).toBe(0);
  }
  expect(first.output + second.output).not.toContain(TOKEN);
});
