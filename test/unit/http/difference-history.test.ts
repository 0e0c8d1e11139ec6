import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
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

/** A lead of a over b that grows by 1/8 each minute; none is given in the third. */
function snapshotAt(minute: number) {
  const snapshot = makeSnapshot({ windows: ['1h'], paneEnd: START + minute * MINUTE });
  const none = { value: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const numbers = minute === 2 ? none : { value: 1 + minute / 8 };
  const valueDifferences = [valueDifferenceOf(numbers)];
  const more = { values: [valueRowOf()], valueDifferences, ratings: ratingsReportOf() };
  return { ...snapshot, windows: snapshot.windows.map((window) => ({ ...window, ...more })) };
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

it('the history keeps differences of all metrics by one estimator, and of values and ratings', async () => {
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
