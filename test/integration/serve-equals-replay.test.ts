import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { differences } from '../support/compare.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { publishedData } from '../support/published-data.js';
import { TestTopics } from '../support/topics.js';

interface Line {
  window: { name: string; to: number };
  counts: Record<string, number>;
}

async function linesOf(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  // The last line may be half written while the service is at work.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

/** What reading counted belongs to no window; everything else is compared. */
function withoutReading({ counts, ...line }: Line) {
  const { faults: _f, duplicates: _d, late: _l, ...window } = counts;
  return { ...line, counts: window };
}

it('MovieLens through Kafka: serve and replay agree pane by pane over twenty years', async () => {
  const data = publishedData('ml-latest-small');
  if (data === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'unskew-'));
  const topics = await TestTopics.create(inject('kafkaBrokers'), 4);
  const log = join(folder, 'movielens.ndjson');
  const written = join(folder, 'served.ndjson');
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
    const imported = await unskew(['import', 'movielens', data, '--out', log]);
    expect(imported.stderr).toBe('');
    const replayed = await unskew(['replay', '--json', '--events', log], settings);
    expect(replayed.stderr).toBe('');
    const wanted = replayed.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    expect(wanted.length).toBeGreaterThan(2000);
    await topics.sendFiles([log]);
    const service = await RunningService.start(['serve'], {
      ...topics.settings,
      ...settings,
      UNSKEW_ESTIMATES_FILE: written,
    });
    try {
      await eventually(
        async () => (await linesOf(written)).length,
        (lines) => lines >= wanted.length,
        150_000,
      );
    } finally {
      expect(await service.stop()).toBe(0);
    }
    const served = await linesOf(written);
    expect(served.map(({ window }) => window)).toEqual(wanted.map(({ window }) => window));
    const apart = served.flatMap((line, n) =>
      differences(withoutReading(line), withoutReading(wanted[n]!), 1e-9, line.window.name),
    );
    expect(apart).toEqual([]);
  } finally {
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
});
