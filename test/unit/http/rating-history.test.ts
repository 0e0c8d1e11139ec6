import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { HistoryFile } from '../../../src/adapters/files/history-file.js';
import { History } from '../../../src/outputs/history/history.js';
import { tickValues } from '../../../src/outputs/history/tick-values.js';
import type { SeriesReport } from '../../../src/outputs/http/schema/history.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { QUALITY, serve } from '../../support/http-server.js';
import { ratingsReportOf } from '../../support/ratings-report.js';

const START = 1_700_000_040_000;
const MINUTE = 60_000;
const dir = mkdtempSync(join(tmpdir(), 'unskew-rating-history-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Each minute the corrected error of model a is an eighth more. */
function snapshotAt(minute: number) {
  const snapshot = makeSnapshot({ windows: ['1h'], paneEnd: START + minute * MINUTE });
  const report = ratingsReportOf();
  const estimates = report.estimates.map((row) => ({ ...row, value: row.value + minute / 8 }));
  const ratings = { ...report, estimates };
  return { ...snapshot, windows: snapshot.windows.map((window) => ({ ...window, ratings })) };
}

async function seriesIn(history: History): Promise<SeriesReport> {
  const server = await serve({ history, snapshot: snapshotAt(2) });
  try {
    const query = 'metric=mae&model=a&estimator=snips&window=1h';
    const response = await fetch(`${server.address}/api/v1/estimates/history?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as SeriesReport;
  } finally {
    await server.close();
  }
}

it('errors of predicted ratings are in the history that is asked for, after a restart as well', async () => {
  const history = new History({ keepMs: 60 * MINUTE });
  const file = await HistoryFile.open(dir, history, (error) => expect.fail(error.message));
  for (const minute of [0, 1, 2]) {
    const snapshot = snapshotAt(minute);
    const tick = history.add(snapshot.paneEnd, tickValues(snapshot, QUALITY), []);
    file.add(tick!);
  }
  await file.close();
  const before = await seriesIn(history);
  expect(before.times).toEqual([0, 1, 2].map((minute) => START + minute * MINUTE));
  expect(before.series).toHaveLength(1);
  const [{ labels, values }] = before.series;
  expect(labels).toMatchObject({ model: 'a', metric: 'mae', k: null, estimator: 'snips' });
  expect(values['value']).toEqual([0.75, 0.875, 1]);
  expect(values['upper']).toEqual([0.875, 0.875, 0.875]);

  const again = new History({ keepMs: 60 * MINUTE });
  const reopened = await HistoryFile.open(dir, again, (error) => expect.fail(error.message));
  await reopened.close();
  expect(await seriesIn(again)).toEqual(before);
});
