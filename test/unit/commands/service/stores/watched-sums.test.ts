import pino from 'pino';
import { expect, it } from 'vitest';
import { watchedSums } from '../../../../../src/commands/service/watched-stores.js';
import { Exporter } from '../../../../../src/outputs/prometheus/exporter.js';
import type { LoggedSums } from '../../../../../src/stream/ports.js';
import { MemorySumsLog } from '../../../../support/memory-sums-log.js';

it('a topic of sums that loses what was read of it is counted, and reported in the log', async () => {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const exporter = new Exporter({ maxModels: 4, version: '0', topics: ['e', 'i'] });
  const topic = new MemorySumsLog();
  const sums = watchedSums(topic, exporter.stores, log);
  await sums.append([Buffer.from('sums')]);
  const [record] = (await sums.read({ offset: 0, mark: '' }, 0)) as LoggedSums[];
  expect(lines).toEqual([]);
  topic.recreate();
  expect(await sums.read(record!.next, 0)).toBe('gone');
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringMatching(/joined again$/) }]);
  expect(await exporter.metrics()).toContain('unskew_store_lost_total{store="exchange"} 1');
});
