import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SegmentNumbers } from '../../../../src/estimators/results/segment-report.js';
import { SegmentsReport } from '../../../../src/features/segments/schema.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { serve, type TestServer } from '../../../support/http-server.js';

function number(metric: SegmentNumbers['metric'], model: string): SegmentNumbers {
  return {
    model,
    metric,
    k: 5,
    estimator: 'snips',
    form: 'pooled',
    value: [Number.NaN, Number.NaN, 0.2, 0.3],
    stdErr: [Number.NaN, Number.NaN, 0.01, 0.1],
    lower: [Number.NaN, Number.NaN, 0.1, 0.1],
    upper: [Number.NaN, Number.NaN, 0.3, 0.5],
    share: [0, 0, 0.9, 0.1],
    contribution: [0, 0, 0.18, 0.03],
    users: [0, 0, 100, 10],
    ess: [0, 0, 90, 9],
  };
}

const WHOLE = makeSnapshot();
const SNAPSHOT: Snapshot = {
  ...WHOLE,
  windows: WHOLE.windows.map((window, w) =>
    w > 0
      ? window
      : {
          ...window,
          segments: {
            dimensions: ['device'],
            names: [['', '', 'tv', 'web']],
            minUsers: 30,
            rows: [[0, 0, 500, 40]],
            hidden: [7],
            numbers: [number('recall', 'good'), number('dcg', 'good'), number('recall', 'bad')],
          },
        },
  ),
};

describe('/api/v1/segments', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await serve({ latest: () => SNAPSHOT });
  });
  afterAll(() => server.close());

  const get = async (query: string) => {
    const response = await fetch(`${server.address}/api/v1/segments${query}`);
    return { status: response.status, body: (await response.json()) as SegmentsReport };
  };

  it('gives all models of the first metric by default, as its schema requires', async () => {
    const { status, body } = await get('');
    expect(status).toBe(200);
    expect([...Value.Errors(SegmentsReport, body)]).toEqual([]);
    const [window] = body.windows;
    expect(window).toMatchObject({
      dimensions: [{ name: 'device', otherValues: 7 }],
      minUsers: 30,
    });
    expect(window!.results.map(({ model, metric, value }) => [model, metric, value])).toEqual([
      ['good', 'recall', 'tv'],
      ['good', 'recall', 'web'],
      ['bad', 'recall', 'tv'],
      ['bad', 'recall', 'web'],
    ]);
    expect(window!.results.map(({ estimate }) => estimate)).toEqual([0.2, null, 0.2, null]);
    expect(window!.results[1]).toMatchObject({ isHidden: true, share: 0.1, lower: null });
  });

  it('filters by the query, and rejects unknown dimensions and parameters', async () => {
    const { body } = await get('?metric=dcg&k=5&dimension=device&model=good&estimator=snips');
    expect(body.windows[0]!.results.map(({ metric }) => metric)).toEqual(['dcg', 'dcg']);
    expect((await get('?model=none')).body.windows[0]!.results).toEqual([]);
    expect((await get('?dimension=country')).status).toBe(400);
    expect((await get('?colour=red')).status).toBe(400);
  });

  it('is not part of the estimates', async () => {
    const response = await fetch(`${server.address}/api/v1/estimates`);
    const { windows } = (await response.json()) as { windows: readonly object[] };
    expect(windows.map((window) => 'segments' in window)).toEqual(windows.map(() => false));
  });
});
