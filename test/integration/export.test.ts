import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/export/manifest.js';
import { environment, MAIN, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const brokers = kafkaBrokers;
const open: TestTopics[] = [];
let folder: string;
let events: string[];
let bounds: string[];
let expected: Buffer;

const at = (name: string) => join(folder, name);
const setOf = (name: string) => readFileSync(join(at(name), 'test.parquet'));
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8')) as Manifest;

async function topicsWithLog(partitions: number): Promise<TestTopics> {
  const topics = await TestTopics.create(brokers, partitions);
  open.push(topics);
  await topics.sendFiles(events);
  return topics;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-export-'));
  await unskew(['simulate', '--out', at('sim'), '--users', '300', '--cycles', '6']);
  events = ['train', 'events'].map((part) => at(`sim/${part}.ndjson`));
  // A range that begins and ends inside of the log, at times that events have.
  const times = readFileSync(events[0], 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { ts: number }).ts);
  bounds = ['--from', String(times[1000]), '--to', String(times[times.length - 1000])];
  const { code } = await unskew(['export', '--events', ...events, ...bounds, '--out', at('file')]);
  expect(code).toBe(0);
  expected = setOf('file');
});
afterAll(async () => {
  for (const topics of open) await topics.delete();
  rmSync(folder, { recursive: true, force: true });
});

describe('a set drawn from a time range of a Kafka topic', () => {
  it.each(IS_LONG ? [1, 6, 12] : [6])(
    'equals the set drawn from a file byte for byte, with %i partitions',
    async (count) => {
      const { settings, kafka, name } = await topicsWithLog(count);
      const set = `kafka-${count}`;
      const made = await unskew(['export', ...bounds, '--out', at(set)], settings);
      expect(made).toMatchObject({ code: 0 });
      expect(setOf(set).equals(expected)).toBe(true);
      const [source] = manifestOf(set).sources;
      expect(source).toMatchObject({ kind: 'kafka', topic: `${name}.interactions`, missing: [] });
      expect(manifestOf(set).counts).toMatchObject({
        interactions: manifestOf('file').counts.interactions,
      });
      const again = ['export', '--from-manifest', at(set), '--out', at(`${set}-again`)];
      expect(await unskew(again, settings)).toMatchObject({ code: 0 });
      const read = (from: string) => readFileSync(join(at(from), 'manifest.json'), 'utf8');
      expect(read(`${set}-again`)).toBe(read(set));
      const admin = kafka.admin();
      await admin.connect();
      const { groups } = await admin.listGroups();
      await admin.disconnect();
      expect(groups.filter(({ groupId }) => groupId.startsWith(name))).toEqual([]);
    },
  );

  it('is refused if the log no longer holds its beginning, unless --allow-missing', async () => {
    const topics = await topicsWithLog(2);
    const topic = `${topics.name}.interactions`;
    const admin = topics.kafka.admin();
    await admin.connect();
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 1, offset: '50' }] });
    await admin.disconnect();
    const refused = await unskew(['export', ...bounds, '--out', at('cut')], topics.settings);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /may no longer hold .* partition 1 begins at offset 50, about 20/,
    );
    expect(existsSync(at('cut'))).toBe(false);
    const allowed = ['export', ...bounds, '--allow-missing', '--out', at('cut')];
    expect(await unskew(allowed, topics.settings)).toMatchObject({ code: 0 });
    expect(manifestOf('cut').sources).toMatchObject([{ missing: [{ partition: 1, low: 50 }] }]);
  });

  it('has the same bytes when the export is repeated after a kill', async () => {
    const { settings } = open[0];
    const env = environment(settings);
    const child = spawn(process.execPath, [MAIN, 'export', ...bounds, '--out', at('killed')], {
      env,
    });
    const ended = once(child, 'exit');
    while (!existsSync(at('killed')) && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill('SIGKILL');
    await ended;
    expect(readdirSync(at('killed')).every((name) => name.startsWith('.partial-'))).toBe(true);
    const verified = await unskew(['export', '--verify', at('killed')]);
    expect(verified.code).toBe(1);
    const again = await unskew(['export', ...bounds, '--out', at('killed')], settings);
    expect(again).toMatchObject({ code: 0 });
    expect(setOf('killed').equals(expected)).toBe(true);
  });
});
