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
import { valueDifferenceOf, valueRowOf } from '../../support/rows.js';

const START = 1_700_000_040_000;
const MINUTE = 60_000;
const dir = mkdtempSync(join(tmpdir(), 'unskew-difference-history-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Each minute model a's lists are worth an eighth more than b's; in the third nothing is given. */
function snapshotAt(minute: number) {
  const snapshot = makeSnapshot({ windows: ['1h'], paneEnd: START + minute * MINUTE });
  const none = { value: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const numbers = minute === 2 ? none : { value: 1 + minute / 8 };
  const valueDifferences = [valueDifferenceOf(numbers)];
  const more = { values: [valueRowOf()], valueDifferences, ratings: ratingsReportOf() };
  return { ...snapshot, windows: snapshot.windows.map((window) => ({ ...window, ...more })) };
}

function kept(history: History, file?: HistoryFile): void {
  for (const minute of [0, 1, 2]) {
    const snapshot = snapshotAt(minute);
    file?.add(history.add(snapshot.paneEnd, tickValues(snapshot, QUALITY), [])!);
  }
}

async function seriesIn(history: History, query: string): Promise<SeriesReport> {
  const server = await serve({ history, snapshot: snapshotAt(2) });
  try {
    const response = await fetch(`${server.address}/api/v1/differences/history?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as SeriesReport;
  } finally {
    await server.close();
  }
}

it('differences of values are in the history that is asked for, after a restart as well', async () => {
  const history = new History({ keepMs: 60 * MINUTE });
  const fail = (error: Error) => expect.fail(error.message);
  const file = await HistoryFile.open(dir, history, fail);
  kept(history, file);
  await file.close();
  const query = 'metric=value&k=none&model=a&reference=b&window=1h';
  const before = await seriesIn(history, query);
  expect(before.times).toEqual([0, 1, 2].map((minute) => START + minute * MINUTE));
  expect(before.series).toEqual([
    {
      labels: {
        ...{ model: 'a', reference: 'b', metric: 'value', k: null, estimator: 'arms_snips' },
        ...{ aggregation: 'request', window: '1h' },
      },
      values: {
        ...{ value: [1, 1.125, null], lower: [0.5, 0.5, null], upper: [1.5, 1.5, null] },
      },
    },
  ]);

  const again = new History({ keepMs: 60 * MINUTE });
  await (await HistoryFile.open(dir, again, fail)).close();
  expect(await seriesIn(again, query)).toEqual(before);
  expect(await seriesIn(again, 'window=1h')).toEqual(await seriesIn(history, 'window=1h'));
});

it('differences of all metrics are kept in one form, and those of ratings', async () => {
  const history = new History({ keepMs: 60 * MINUTE });
  const snapshot = snapshotAt(0);
  history.add(snapshot.paneEnd, tickValues(snapshot, QUALITY), []);
  const [{ differences }] = snapshot.windows;
  const led = differences.filter(({ estimator }) => estimator === 'snips');
  expect(led.length).toBeGreaterThan(0);
  expect(led.length).toBeLessThan(differences.length);
  const { series } = await seriesIn(history, 'window=1h&values=value');
  const names = (rows: readonly object[]) =>
    rows.map((row) => {
      const { model, reference, metric, k, estimator } = row as (typeof differences)[number];
      return [model, reference, metric, k, estimator].join(' ');
    });
  const { differences: ofRatings } = ratingsReportOf();
  expect(names(series.map(({ labels }) => labels)).sort()).toEqual(
    names([...led, valueDifferenceOf(), ...ofRatings]).sort(),
  );
  const some = led[0];
  const { series: one } = await seriesIn(
    history,
    `window=1h&metric=${some.metric}&k=${some.k ?? 'none'}&model=${some.model}&aggregation=${some.form}`,
  );
  expect(one[0].values['value'][0]).toBeCloseTo(some.value, 6);
});
