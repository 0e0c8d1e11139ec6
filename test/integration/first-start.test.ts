import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { encodeEvent } from '../../src/events/encode.js';
import { eventually, RunningService } from '../support/program.js';
import { firing, Scrapes } from '../support/promtool.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';
import { parseExposition } from '../unit/prometheus/exposition.js';

const PARTITIONS = 2;
const ALERT = 'UnskewStateAbsent';

let folder: string;
let topics: TestTopics;
let running: RunningService | undefined;

beforeAll(async () => {
  requireCommand('promtool', 'prometheus', () => {});
  folder = await mkdtemp(join(tmpdir(), 'unskew-first-'));
  topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const event = { id: `x${partition}`, ts: Date.now(), user: `u${partition}`, item: 'a' };
    const value = Buffer.from(encodeEvent({ type: 'interaction', ...event }));
    await topics.send('interactions', [{ partition, value }]);
  }
});

afterAll(async () => {
  await running?.kill();
  await topics?.delete();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a service whose state is in a folder of this name, and waits until it has read all. */
async function started(name: string): Promise<RunningService> {
  running = await RunningService.start(['serve'], {
    ...topics.settings,
    UNSKEW_STATE_STORE: 'file',
    UNSKEW_STATE_DIR: join(folder, name),
    UNSKEW_STATE_EVERY: '200ms',
    UNSKEW_DEAD_LETTERS_TO: 'none',
    UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  });
  const saved = (found: Record<string, number>) => (found['saved'] ?? 0) >= PARTITIONS;
  await eventually('checkpoints of all partitions', () => outcomes(running!), saved);
  return running;
}

/** Checkpoints by what became of them, of which there are more than none. */
async function outcomes(service: RunningService): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name, labels, value } of await service.scrape()) {
    if (name === 'unskew_checkpoints_total' && value > 0) found[labels['outcome']!] = value;
  }
  return found;
}

/** What a Prometheus would say that looked at the service from now on. */
async function alerts(service: RunningService): Promise<readonly string[]> {
  const scrapes = new Scrapes();
  const { body } = await service.get('/metrics');
  for (let minute = 0; minute < 3; minute++) scrapes.add('a', body);
  expect(parseExposition(body).length).toBeGreaterThan(100);
  return firing(scrapes, 2, [ALERT]);
}

it('a group raises an alert if its state is gone, but not at its first start', async () => {
  const first = await started('here');
  expect(await outcomes(first)).toMatchObject({ first: PARTITIONS });
  expect(await outcomes(first)).not.toHaveProperty('absent');
  expect(first.output).toContain('no state of these partitions has been stored yet');
  expect(await alerts(first)).toEqual([]);
  await eventually(
    'commits of all partitions',
    () => topics.committed(topics.name),
    (offsets) => offsets === PARTITIONS,
  );
  expect(await first.stop()).toBe(0);

  const again = await started('here');
  expect(Object.keys(await outcomes(again))).toEqual(
    expect.not.arrayContaining(['first', 'absent']),
  );
  expect(await again.stop()).toBe(0);

  const elsewhere = await started('elsewhere');
  expect(await outcomes(elsewhere)).toMatchObject({ absent: PARTITIONS });
  expect(elsewhere.output).toContain('the stored state of these partitions is missing');
  expect(await alerts(elsewhere)).toEqual([ALERT]);
  expect(await elsewhere.stop()).toBe(0);
});
