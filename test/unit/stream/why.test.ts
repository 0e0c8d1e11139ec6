import { describe, expect, it } from 'vitest';
import { type GapReport, Why } from '../../../src/features/why/why.js';
import { KeptRows } from '../../../src/stream/tick/kept-rows.js';
import { quickOptions, threeModels, withNaive } from '../../support/log.js';
import { RestartedReader } from '../../support/restarts.js';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe('a gap of the newest tick', () => {
  it('equals that of the snapshot, and its contributions sum to it', () => {
    const reader = new RestartedReader(threeModels(120), quickOptions(withNaive()), 2);
    reader.finish();
    const { windows, paneEnd } = reader.snapshots.at(-1)!;
    const why = new Why(reader.lookup);
    let looked = 0;
    for (const { name, results } of windows) {
      for (const row of results.filter(({ estimator }) => estimator === 'snips')) {
        const { model, metric, k, form: aggregation, estimator } = row;
        const question = { window: name, model, metric, k, aggregation, estimator, most: 3 };
        const report = why.gap(question) as GapReport;
        const naive = results.find(
          (own) =>
            own.estimator === 'naive' &&
            own.model === model &&
            own.metric === metric &&
            own.k === k &&
            own.form === aggregation,
        )!;
        expect(report.paneEnd).toBe(paneEnd);
        expect(report.values[0]).toBeCloseTo(naive.value, 12);
        expect(report.values[1]).toBeCloseTo(row.value, 12);
        const named = report.items.map(({ contribution }) => contribution);
        expect(sum(named) + report.rest.contribution).toBeCloseTo(report.gap, 12);
        for (const { groups } of report.groups) {
          expect(sum(groups.map(({ contribution }) => contribution))).toBeCloseTo(report.gap, 12);
        }
        looked++;
      }
    }
    expect(looked).toBeGreaterThan(6);
    const asked = { model: 'm0', metric: 'dcg', k: 2, aggregation: 'pooled' } as const;
    const nowhere = { ...asked, window: 'never', estimator: 'snips', most: 3 } as const;
    expect(why.gap(nowhere)).toBe('no rows');
  });
});

describe('the rows kept to explain gaps', () => {
  const job = (bytes: number) =>
    ({ part: { item: new Uint8Array(bytes), ranks: [] }, counts: {}, columns: {} }) as never;

  it('stay for a window that is not recomputed, until item numbers may change', () => {
    const rows = new KeptRows(100);
    const first = rows.begin(10, 4);
    for (const [window, bytes] of [
      ['a', 60],
      ['b', 60],
    ] as const) {
      first.keep(window, job(bytes));
    }
    first.end();
    const second = rows.begin(20, 4);
    second.carry('a');
    second.carry('b');
    second.carry('never');
    second.end();
    expect([rows.of('a'), rows.of('b')]).toMatchObject([{ to: 10 }, 'too large']);
    expect(rows.of('never')).toBe(undefined);
    const third = rows.begin(30, 5);
    third.carry('a');
    third.end();
    expect(rows.of('a')).toBe(undefined);
  });

  it('are dropped for all windows when cleared', () => {
    const rows = new KeptRows();
    const tick = rows.begin(10, 0);
    const own = job(1);
    tick.keep('a', own);
    tick.end();
    expect(rows.of('a')).toMatchObject({ job: own });
    rows.clear();
    expect(rows.of('a')).toBe(undefined);
  });
});
