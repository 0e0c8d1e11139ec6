import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { differences } from '../support/compare.js';
import { linesOf, replayed, withoutReading, written } from '../support/estimate-lines.js';
import { RunningService, unskew } from '../support/program.js';
import { publishedData } from '../support/published-data.js';
import { IS_LONG } from '../support/repetitions.js';
import { TestTopics } from '../support/topics.js';

/** One user in ten, all that is theirs: the twenty years stay. */
async function keepUsersInTen(log: string): Promise<void> {
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const kept = lines.filter(
    (line) => Number((JSON.parse(line) as { user: string }).user) % 10 === 0,
  );
  expect(kept.length).toBeGreaterThan(lines.length / 20);
  await writeFile(log, `${kept.join('\n')}\n`);
}

it('MovieLens through Kafka: serve and replay agree pane by pane over twenty years', async () => {
  const data = publishedData('ml-latest-small');
  if (data === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'unskew-'));
  const topics = await TestTopics.create(inject('kafkaBrokers'), 4);
  const log = join(folder, 'movielens.ndjson');
  const estimates = join(folder, 'served.ndjson');
  const settings = {
    UNSKEW_TIME_TICK: IS_LONG ? '5d' : '60d',
    UNSKEW_TIME_WINDOWS: IS_LONG ? '30d,365d' : '60d,360d',
    UNSKEW_TIME_IDLE: '2s',
    UNSKEW_TIME_LATENESS: '0s',
    UNSKEW_POPULARITY_HORIZON: '3650d',
    UNSKEW_POSITIVE_MIN_VALUE: '4',
    UNSKEW_ESTIMATES_METRICS: 'recall,dcg',
    UNSKEW_ESTIMATES_KS: '10',
  };
  try {
    // What is beyond rank 10 changes no number here.
    const shorter = IS_LONG ? [] : ['--list-length', '20'];
    const imported = await unskew(['import', 'movielens', data, '--out', log, ...shorter]);
    expect(imported.stderr).toBe('');
    if (!IS_LONG) await keepUsersInTen(log);
    const wanted = await replayed([log], settings);
    expect(wanted.length).toBeGreaterThan(IS_LONG ? 2000 : 180);
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
});
