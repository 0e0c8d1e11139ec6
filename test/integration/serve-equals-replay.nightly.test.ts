import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { differences } from '../support/compare.js';
import { linesOf, replayed, withoutReading, written } from '../support/estimate-lines.js';
import { RunningService, unskew } from '../support/program.js';
import { needsData, publishedData } from '../support/published-data.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const data = publishedData('ml-latest-small');

it(
  'serve and replay agree pane by pane over twenty years of MovieLens',
  needsData('ml-latest-small'),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-'));
    const topics = await TestTopics.create(kafkaBrokers, 4);
    const log = join(folder, 'movielens.ndjson');
    const estimates = join(folder, 'served.ndjson');
    const settings = {
      UNSKEW_TIME_TICK: '5d',
      UNSKEW_TIME_WINDOWS: '30d,365d',
      UNSKEW_TIME_IDLE: '2s',
      UNSKEW_TIME_LATENESS: '0s',
      UNSKEW_POPULARITY_HORIZON: '3650d',
      UNSKEW_POSITIVE_MIN_VALUE: '4',
      UNSKEW_ESTIMATES_METRICS: 'recall,dcg',
      UNSKEW_ESTIMATES_KS: '10',
    };
    try {
      const imported = await unskew(['import', 'movielens', data!, '--out', log]);
      expect(imported.stderr).toBe('');
      const wanted = await replayed([log], settings);
      expect(wanted.length).toBeGreaterThan(2000);
      await topics.sendFiles([log]);
      const service = await RunningService.start(['serve'], {
        ...topics.settings,
        ...settings,
        UNSKEW_ESTIMATES_FILE: estimates,
      });
      try {
        await written([estimates], wanted.length, 300_000);
      } finally {
        expect(await service.stop()).toBe(0);
      }
      const served = await linesOf([estimates]);
      expect(served.map(({ window }) => window)).toEqual(wanted.map(({ window }) => window));
      expect(differences(withoutReading(served), withoutReading(wanted), 1e-9)).toEqual([]);
    } finally {
      await topics.delete();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
