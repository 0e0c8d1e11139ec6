import { createConnection } from 'node:net';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm } from '../../../src/features/alarm.js';
import { AlarmPage } from '../../../src/features/drift/schema.js';
import type { RatingsReport } from '../../../src/features/ratings/rating-report.js';
import { v1ValueDifference } from '../../../src/features/values/v1.js';
import { VerdictReport } from '../../../src/features/verdicts/schema.js';
import { GapOrReason } from '../../../src/features/why/schema.js';
import { Problem } from '../../../src/outputs/http/answers.js';
import { SeriesReport } from '../../../src/outputs/http/schema/history.js';
import { LiveTick, liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import { ItemAnswer, UserAnswer } from '../../../src/outputs/http/schema/lookup.js';
import {
  PopularityReport,
  PropensityReport,
  SnapshotReport,
} from '../../../src/outputs/http/schema/snapshot.js';
import type { Wire } from '../../../src/rows/row.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { QUALITY, serve, type TestServer } from '../../support/http-server.js';
import { fileReportOf, ratingsReportOf } from '../../support/ratings-report.js';
import {
  shownOf,
  uncausedOf,
  valueDifferenceRow,
  valueRowOf,
  withheldOf,
} from '../../support/rows.js';
import { smallLookup } from '../../support/small-lookup.js';
import { aVerdict } from '../../support/verdict.js';

const START = 1_700_000_040_000;
const MINUTE = 60_000;
const open: TestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function started(...args: Parameters<typeof serve>): Promise<TestServer> {
  const server = await serve(...args);
  open.push(server);
  return server;
}

async function get(server: TestServer, path: string) {
  const response = await fetch(server.address + path);
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), body: (await response.json()) as never };
}

/** Violations of the schema as text; empty for a valid answer. */
function faults(schema: TSchema, body: unknown): string[] {
  return Value.Errors(schema, body).map((fault) => `${fault.instancePath}: ${fault.message}`);
}

function alarm(n: number): Alarm {
  const at = START - n * MINUTE;
  return {
    series: `s${n}`,
    detector: 'cusum',
    since: at - MINUTE,
    at,
    score: 6,
    threshold: 5,
    size: n % 2 === 0 ? null : 1.5,
    suppressed: null,
    models: ['good'],
    topItems: [{ item: 'i1', share: 0.2, before: 0.1 }],
  };
}

/** For tests that only read: every start compiles all schemas. */
let shared: TestServer;
beforeAll(async () => {
  const verdicts = [aVerdict({ state: 'prefer', better: 'personal', margin: Number.NaN })];
  shared = await serve({ snapshot: { ...makeSnapshot(), alarms: [alarm(1)], verdicts } });
});
afterAll(() => shared.close());

describe('each answer matches its schema', () => {
  it.each([
    ['/api/v1/estimates', SnapshotReport],
    ['/api/v1/estimates?window=24h&estimator=snips', SnapshotReport],
    ['/api/v1/verdicts', VerdictReport],
    ['/api/v1/popularity', PopularityReport],
    ['/api/v1/propensity', PropensityReport],
    ['/api/v1/estimates/history', SeriesReport],
    ['/api/v1/differences/history?metric=recall&reference=good', SeriesReport],
    ['/api/v1/popularity/history', SeriesReport],
    ['/api/v1/propensity/history?points=10', SeriesReport],
    ['/api/v1/samples/history?window=1h', SeriesReport],
    ['/api/v1/quality/history', SeriesReport],
    ['/api/v1/alarms', AlarmPage],
  ] as const)('%s', async (path, schema) => {
    const { status, type, body } = await get(shared, path);
    expect(status).toBe(200);
    expect(type).toMatch(/^application\/json/);
    expect(faults(schema, body)).toEqual([]);
    expect(Object.values(body).flat().length).toBeGreaterThan(0);
  });

  it('with new models, in the snapshot and in each tick of the stream', async () => {
    const notices = [{ kind: 'new_model', model: 'm', since: START, at: START + MINUTE }] as const;
    const server = await started({ snapshot: { ...makeSnapshot(), notices } });
    const { body } = await get(server, '/api/v1/estimates');
    expect(faults(SnapshotReport, body)).toEqual([]);
    expect(body).toMatchObject({ notices });
    const tick = liveTick({ ...makeSnapshot(), notices }, QUALITY, {});
    expect(tick).toMatchObject({ notices });
    expect(faults(LiveTick, JSON.parse(JSON.stringify(tick)))).toEqual([]);
    expect(liveTick(makeSnapshot(), QUALITY, {})).not.toHaveProperty('notices');
  });

  it('with verdicts as figures and as text, at most eight in a tick', async () => {
    const { body } = await get(shared, '/api/v1/verdicts');
    expect(body).toMatchObject({
      verdicts: [{ model: 'personal', reference: 'blend', state: 'prefer', margin: null }],
      findings: [{ code: 'verdict_prefer', text: expect.stringMatching(/^personal beats/) }],
    });
    const verdicts = Array.from({ length: 9 }, (_, n) => aVerdict({ model: `m${n}` }));
    const tick = liveTick({ ...makeSnapshot(), verdicts }, QUALITY, {});
    expect(tick?.verdict).toHaveLength(8);
    expect(faults(LiveTick, JSON.parse(JSON.stringify(tick)))).toEqual([]);
    expect(liveTick(makeSnapshot(), QUALITY, {})).not.toHaveProperty('verdict');
  });

  it('with ratings weighted by a propensity file, in the snapshot and in the stream', async () => {
    const { propensity } = ratingsReportOf();
    const none = { of: 'items', ratings: 0, distance: Number.NaN, byChance: Number.NaN } as const;
    const figures = { largestRatio: 3, means: [2.5, 3], margin: 0.1, doDisagree: true } as const;
    const comparison = { with: 'nb', ...figures } as const;
    for (const own of [{}, { drift: null }, { drift: none, comparison }]) {
      const file = fileReportOf(own);
      const ratings = ratingsReportOf({ propensity: { ...propensity, source: 'file', file } });
      const base = makeSnapshot();
      const windows = base.windows.map((window) => ({ ...window, ratings }));
      const server = await started({ snapshot: { ...base, windows } });
      const { body } = await get(server, '/api/v1/estimates');
      expect(faults(SnapshotReport, body)).toEqual([]);
      const stamp = { version: file.version, date: file.date, unknown: file.unknown };
      const answer = body as { windows: { ratings: RatingsReport }[] };
      expect(answer.windows[0].ratings.propensity.file).toMatchObject(stamp);
      const tick = liveTick({ ...base, windows }, QUALITY, {});
      expect(tick!.window.ratings!.propensity.file).toMatchObject(stamp);
      expect(faults(LiveTick, JSON.parse(JSON.stringify(tick)))).toEqual([]);
    }
  });

  it('before the first pane, where it is a problem document', async () => {
    const server = await started();
    for (const name of [
      'estimates',
      'verdicts',
      'popularity',
      'propensity',
      'items/i1',
      'users/u1',
    ]) {
      const { status, type, body } = await get(server, `/api/v1/${name}`);
      expect(status, name).toBe(404);
      expect(type).toMatch(/^application\/problem\+json/);
      expect(faults(Problem, body)).toEqual([]);
    }
    const { status, body } = await get(server, '/api/v1/estimates/history');
    expect(status).toBe(200);
    expect(body).toMatchObject({ times: [], series: [] });
  });
});

describe('estimates', () => {
  it('can be filtered by the query', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const query = 'window=24h&model=popular&metric=recall&k=10&aggregation=user&estimator=snips';
    const { body } = await get(server, `/api/v1/estimates?${query}`);
    const { windows } = body as unknown as Snapshot;
    const [, whole] = makeSnapshot().windows;
    expect(windows).toHaveLength(1);
    expect(windows[0].results).toHaveLength(1);
    const wanted = whole.results.find(
      (row) =>
        row.model === 'popular' && row.k === 10 && row.form === 'user' && row.estimator === 'snips',
    )!;
    expect(windows[0].results[0].value).toBe(wanted.value);
    expect(windows[0].effectiveSampleSizes).toHaveLength(1);
    // Whether the window can be trusted does not depend on what is looked at.
    const { body: unasked } = await get(server, '/api/v1/estimates?window=24h');
    const trustOf = (own: unknown) => (own as SnapshotReport).windows[0].trust;
    expect(trustOf(body)).toEqual(trustOf(unasked));
    const none = await get(server, '/api/v1/estimates?metric=dcg&k=none&window=1h');
    const rows = (none.body as unknown as Snapshot).windows[0].results;
    expect(new Set(rows.map(({ metric, k }) => `${metric}@${k}`))).toEqual(new Set(['dcg@null']));
  });

  it('come with findings on the rows that are returned', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const findingsAt = async (query: string) => {
      const { body } = await get(server, `/api/v1/estimates?window=1h${query}`);
      const [window] = (body as unknown as SnapshotReport).windows;
      return window.findings;
    };
    const all = await findingsAt('');
    expect(all.map(({ severity }) => severity)).toEqual(
      ['problem', 'caution', 'note', 'good'].flatMap((severity) =>
        all.filter((own) => own.severity === severity).map(() => severity),
      ),
    );
    const few = all.filter(({ code }) => code === 'few_users');
    expect(few.length).toBeGreaterThan(0);
    expect(few[0].text).toMatch(/users\. Do not decide on fewer than 30/);
    const row = makeSnapshot().windows[0].results.find(({ ess }) => ess > 30)!;
    const { model, metric, k, estimator, form: aggregation } = row;
    const query = `&model=${model}&metric=${metric}&k=${k ?? 'none'}&estimator=${estimator}`;
    const one = await findingsAt(`${query}&aggregation=${aggregation}`);
    expect(one.filter(({ code }) => code === 'few_users')).toEqual([]);
    expect(one.map(({ code }) => code)).toContain('gamma_last_good');
  });

  it('give the share of users in the sample', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const all = (await get(server, '/api/v1/estimates')).body as unknown as Snapshot;
    expect(all.sampling).toEqual({ ratio: 1 });
    server.show({ ...makeSnapshot({ start: 2 }), sampling: { ratio: 0.25 } });
    for (const query of ['', '?window=1h&metric=recall']) {
      const { body } = await get(server, `/api/v1/estimates${query}`);
      expect((body as unknown as Snapshot).sampling).toEqual({ ratio: 0.25 });
    }
  });

  it.each([
    ['/api/v1/estimates?metric=recal', 'metric'],
    ['/api/v1/estimates?k=0', 'k'],
    ['/api/v1/estimates?mdoel=good', 'additional'],
    ['/api/v1/estimates?window=3y', 'window must be equal to one of the allowed values: 1h, 24h'],
    ['/api/v1/estimates?model=nobody', 'no model is named "nobody"'],
    ['/api/v1/estimates/history?model=nobody', 'has no model "nobody"'],
    ['/api/v1/samples/history?window=1d', 'window'],
    ['/api/v1/estimates/history?step=0', 'step'],
    ['/api/v1/popularity/history?step=-1', 'step'],
    ['/api/v1/estimates/history?from=yesterday', 'from'],
    ['/api/v1/estimates/history?from=20&to=10', '`from` must not be after `to`'],
    ['/api/v1/alarms?limit=1000', 'limit'],
    ['/api/v1/alarms?cursor=bm9uZQ', 'cursor'],
    ['/api/v1/stream?aggregation=mean', 'aggregation'],
  ])('reject %s and say why', async (path, word) => {
    const { status, body } = await get(shared, path);
    expect(status).toBe(400);
    expect((body as { detail: string }).detail).toContain(word);
  });
});

describe('history', () => {
  it('gives the values of the ticks between from and to, one per step', async () => {
    const server = await started();
    const shown = [1, 2, 3, 4, 5, 6].map((n) =>
      makeSnapshot({ start: n, paneEnd: START + n * MINUTE }),
    );
    for (const snapshot of shown) server.show(snapshot);
    const labels = 'model=good&metric=recall&k=5&estimator=gs&aggregation=pooled&window=1h';
    const period = `from=${START + MINUTE}&to=${START + 5 * MINUTE}`;
    const ask = async (query: string): Promise<SeriesReport> =>
      (await get(server, `/api/v1/estimates/history?${query}`)).body;
    const { times, series } = await ask(`${period}&${labels}`);
    expect(times).toEqual([2, 3, 4, 5].map((n) => START + n * MINUTE));
    const value = (n: number) =>
      shown[n - 1].windows[0].results.find(
        (row) =>
          row.model === 'good' &&
          row.k === 5 &&
          row.metric === 'recall' &&
          row.estimator === 'gs' &&
          row.form === 'pooled',
      )!.value;
    expect(series).toHaveLength(1);
    series[0].values['value'].forEach((own, t) => {
      expect(own).toBeCloseTo(value(t + 2), 6);
    });
    const stepped = await ask(`${period}&${labels}&step=${2 * MINUTE}`);
    // Steps are aligned to the epoch; the last tick of each is given.
    const stepOf = (time: number) => Math.ceil(time / (2 * MINUTE));
    const last = times.filter((time, t) => stepOf(time) !== stepOf(times[t + 1] ?? Infinity));
    expect(stepped.times).toEqual(last);
    expect((await ask(`${labels}&points=2`)).times.length).toBeLessThanOrEqual(3);
    const truth = await ask('estimator=truth&model=good&window=1h&aggregation=user');
    expect(truth.series[0].values['value'].at(-1)).toBeCloseTo(shown[5].truth![0].value, 6);
  });

  it('keeps the organic estimate next to an estimate, and the reward of served lists', async () => {
    const server = await started();
    for (const n of [1, 2]) server.show(withCauses(n));
    const ask = async (query: string): Promise<SeriesReport> => {
      const { status, body } = await get(server, `/api/v1/estimates/history?${query}`);
      expect(status).toBe(200);
      expect(faults(SeriesReport, body)).toEqual([]);
      return body;
    };
    const labels = 'model=good&metric=recall&k=5&estimator=gs&aggregation=pooled&window=1h';
    const { series } = await ask(labels);
    expect(series).toHaveLength(1);
    // What is withheld at all times has no column.
    expect(series[0].values).toEqual({
      uncaused: [0.1, 0.2],
      uncausedLower: [0.05, 0.15],
      uncausedUpper: [0.15, 0.25],
    });
    const only = await ask(`${labels}&values=uncaused`);
    expect(only.series[0].values).toEqual({ uncaused: [0.1, 0.2] });
    const rewards = await ask('metric=value&estimator=on_policy&aggregation=pooled&window=1h');
    expect(rewards.series).toEqual([
      {
        labels: {
          model: 'good',
          metric: 'value',
          k: null,
          estimator: 'on_policy',
          aggregation: 'pooled',
          window: '1h',
        },
        values: { value: [1, 2], lower: [0.5, 1.5], upper: [1.5, 2.5] },
      },
    ]);
  });

  it('gives reward per request in the requested form, now and over time', async () => {
    const server = await started();
    const forms = ['on_policy', 'arms_ips', 'arms_snips'] as const;
    for (const n of [1, 2]) {
      const base = withCauses(n);
      // Shown lists of `good` are valued too, in a series of their own.
      const values = ['good', 'popular'].flatMap((model) =>
        forms.map((estimator) => valueRowOf({ model, estimator, value: 10 * n })),
      );
      server.show({ ...base, windows: base.windows.map((window) => ({ ...window, values })) });
    }
    const query = 'metric=value&estimator=arms_snips&aggregation=request';
    const { status, body } = await get(server, `/api/v1/estimates?${query}&model=popular`);
    expect(status).toBe(200);
    expect(faults(SnapshotReport, body)).toEqual([]);
    const [window] = (body as SnapshotReport).windows;
    expect(window.results).toEqual([]);
    expect(window.values).toMatchObject([
      { model: 'popular', estimator: 'arms_snips', value: 20, lower: 1, upper: 2 },
    ]);
    const past = await get(server, '/api/v1/estimates/history?metric=value&values=value');
    const kept = (past.body as SeriesReport).series.map(({ labels, values }) => [
      `${labels['model']} ${labels['estimator']} ${labels['aggregation']}`,
      values['value'],
    ]);
    expect(Object.fromEntries(kept)).toEqual({
      'good on_policy pooled': [1, 2],
      ...Object.fromEntries(
        ['good', 'popular'].flatMap((model) =>
          forms.map((form) => [`${model} ${form} request`, [10, 20]]),
        ),
      ),
    });
    expect((await get(server, '/api/v1/estimates?estimator=arms')).status).toBe(400);
  });

  it('gives value differences to the control for the requested model', async () => {
    const server = await started();
    const base = makeSnapshot();
    const sampleRatio = { chiSquare: Number.POSITIVE_INFINITY, freedom: 1, p: 0 };
    const compared = {
      values: [valueRowOf({ model: 'good' })],
      sampleRatio,
      controlAway: 'x',
      valueDifferences: ['good', 'popular'].map((model) =>
        valueDifferenceRow({ model, upper: Number.NaN, proved: 'worse' }),
      ),
    };
    server.show({ ...base, windows: base.windows.map((window) => ({ ...window, ...compared })) });
    const { body } = await get(server, '/api/v1/estimates?model=popular&window=24h');
    expect(faults(SnapshotReport, body)).toEqual([]);
    const [window] = (body as SnapshotReport).windows;
    const [own] = [valueDifferenceRow({ model: 'popular', proved: 'worse' })].map(
      v1ValueDifference,
    );
    expect(window.valueDifferences).toEqual([{ ...own, upper: null }]);
    expect(window.sampleRatio).toEqual({ chiSquare: null, freedom: 1, p: 0 });
    expect(window.controlAway).toBe('x');
    expect(window.findings.map(({ code }) => code)).toContain('value_proved_worse');
  });

  it('pages alarms, and new alarms do not shift pages', async () => {
    const alarms = Array.from({ length: 7 }, (_, n) => alarm(n));
    const server = await started({ snapshot: { ...makeSnapshot(), alarms } });
    const first: Wire<Static<typeof AlarmPage>> = (await get(server, '/api/v1/alarms?limit=3'))
      .body;
    expect(first.alarms).toEqual(alarms.slice(0, 3));
    server.show({ ...makeSnapshot({ paneEnd: START + MINUTE }), alarms: [alarm(-1)] });
    const second: Wire<Static<typeof AlarmPage>> = (
      await get(server, `/api/v1/alarms?limit=3&cursor=${first.next}`)
    ).body;
    expect(second.alarms).toEqual(alarms.slice(3, 6));
    const third: Wire<Static<typeof AlarmPage>> = (
      await get(server, `/api/v1/alarms?limit=3&cursor=${second.next}`)
    ).body;
    expect(third).toEqual({ alarms: alarms.slice(6), next: null });
  });
});

describe('the stream', () => {
  async function reader(server: TestServer, query = '') {
    const response = await fetch(`${server.address}/api/v1/stream?${query}`);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const chunks = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      headers: response.headers,
      next: async (): Promise<LiveTick> => {
        for (;;) {
          const found = /event: tick\ndata: (.*)\n\n/.exec(text);
          if (found !== null) {
            text = text.slice(found.index + found[0].length);
            return JSON.parse(found[1]) as LiveTick;
          }
          const { value, done } = await chunks.read();
          if (done) throw new Error('the stream ended');
          text += value;
        }
      },
      cancel: () => chunks.cancel(),
    };
  }

  it('sends the newest tick at once, then one message per tick, for the query', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const query = 'window=24h&metric=recall&k=10&aggregation=user';
    const { next, cancel, headers } = await reader(server, query);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const tick = await next();
    expect(faults(LiveTick, tick)).toEqual([]);
    expect(tick.chosen).toEqual({ window: '24h', metric: 'recall', k: 10, aggregation: 'user' });
    expect(tick.window.estimates).toHaveLength(10);
    const row = makeSnapshot().windows[1].results.find(
      ({ model, k, estimator, form: aggregation }) =>
        model === 'good' && k === 10 && estimator === 'naive' && aggregation === 'user',
    )!;
    expect(tick.window.estimates[0]).toMatchObject({ model: 'good', value: row.value });
    for (const minute of [1, 2]) {
      server.show(makeSnapshot({ start: minute, paneEnd: START + minute * MINUTE }));
      expect((await next()).paneEnd).toBe(START + minute * MINUTE);
    }
    await cancel();
  });

  it('falls back to an available choice and says which', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const { next, cancel } = await reader(server, 'window=3y&metric=mrr');
    const { chosen, offered } = await next();
    expect(chosen).toEqual({ window: '1h', metric: 'recall', k: 5, aggregation: 'pooled' });
    expect(offered.windows).toEqual(['1h', '24h']);
    await cancel();
    const cutoff = await reader(server, 'k=10');
    expect((await cutoff.next()).chosen).toMatchObject({ metric: 'recall', k: 10 });
    await cutoff.cancel();
  });

  it('ends when another worker takes over the numbers, and accepts new readers', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const { next } = await reader(server);
    await next();
    server.endStreams();
    await expect(next()).rejects.toThrow('the stream ended');
    const { next: again, cancel } = await reader(server);
    await again();
    server.show(makeSnapshot({ start: 1, paneEnd: START + MINUTE }));
    expect((await again()).paneEnd).toBe(START + MINUTE);
    await cancel();
  });

  it('waits for the first pane', async () => {
    const server = await started();
    const { next, cancel } = await reader(server);
    server.show(makeSnapshot());
    expect((await next()).paneEnd).toBe(START);
    await cancel();
  });

  it('disconnects a reader that does not read, and no other', async () => {
    // Long names make a tick large at little cost.
    const models = ['a', 'b'].map((model) => model.repeat(4000));
    const snapshot = makeSnapshot({ models });
    const server = await started({ snapshot });
    const { port } = new URL(server.address);
    const idle = createConnection(Number(port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    idle.write('GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => idle.once('readable', resolve));
    const { next, cancel } = await reader(server);
    await next();
    // Far more than the system's buffers and what the service lets pile up.
    for (let n = 1; n <= 60; n++) {
      server.publish({ ...snapshot, paneEnd: START + n });
      if ((await next()).paneEnd !== START + n) throw new Error('a tick was lost');
    }
    const closed = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => {});
    idle.resume();
    await closed;
    await cancel();
  });

  it('does not delay the shutdown of the service', async () => {
    const server = await started({ snapshot: makeSnapshot() });
    const { next } = await reader(server);
    await next();
    await open.pop()!.close();
    await expect(next()).rejects.toThrow();
  });
});

describe('single items and users', () => {
  it('give an item’s count, propensity, weights and stratum', async () => {
    const source = await smallLookup();
    const server = await started({ snapshot: makeSnapshot(), lookup: () => source });
    const { body } = await get(server, '/api/v1/items/b');
    expect(faults(ItemAnswer, body)).toEqual([]);
    // γ = 2, so β = 3/2; a has 4 of 5 interactions; κ = 1/2; three strata from 1 to 4.
    expect(body).toMatchObject({
      item: 'b',
      count: 1,
      interactions: 1,
      rank: 2,
      exposures: { m: 2 },
      stratum: 0,
      propensity: { gamma: 2, beta: 1.5, unnormalized: 1, relative: 1 / 8 },
      weights: { snips: 1, skew: 1 / 1.5, wtd_h: 1 / 1.5 ** 2 },
    });
    const popular = await get(server, '/api/v1/items/a');
    expect(popular.body).toMatchObject({
      count: 4,
      rank: 1,
      stratum: 2,
      strata: 3,
      propensity: { unnormalized: 8, relative: 1 },
      weights: { snips: 1 / 8 },
    });
    const cold = await get(server, `/api/v1/items/${encodeURIComponent('ç/c')}`);
    expect(cold.body).toMatchObject({ item: 'ç/c', count: 0, rank: null, exposures: { m: 2 } });
  });

  it('give a user’s count and weights', async () => {
    const source = await smallLookup();
    const server = await started({ snapshot: makeSnapshot(), lookup: () => source });
    const { body } = await get(server, '/api/v1/users/u1');
    expect(faults(UserAnswer, body)).toEqual([]);
    expect(body).toMatchObject({
      user: 'u1',
      partition: 0,
      count: 3,
      randomized: 0,
      propensity: 3 / 5,
      stratum: null,
      weights: { snips: 1, skew: 1, wtd_h: 1 / 3.5 },
    });
  });

  it('are answered with 404 if they are unknown', async () => {
    const source = await smallLookup();
    const server = await started({ snapshot: makeSnapshot(), lookup: () => source });
    expect((await get(server, '/api/v1/items/nothing')).status).toBe(404);
    expect((await get(server, '/api/v1/users/nobody')).status).toBe(404);
  });
});

describe('why two numbers differ', () => {
  const asked = '/api/v1/why?window=short&model=m&metric=recall&k=1';

  async function withRows(own: Partial<Snapshot> = {}): Promise<TestServer> {
    const source = await smallLookup();
    const windows = ['short', 'long'];
    return started({ snapshot: { ...makeSnapshot(), ...own }, windows, lookup: () => source });
  }

  it('is explained by items and groups of users that sum to the gap', async () => {
    const server = await withRows();
    const { status, body } = await get(server, asked);
    expect(status).toBe(200);
    expect(faults(GapOrReason, body)).toEqual([]);
    // Pairs (u1, a), (u1, b), (u2, a): naive 2/3; weights 1/8 of a, 1 of b: snips 1/4 of 5/4.
    expect(body).toMatchObject({
      paneEnd: 1010,
      values: [expect.closeTo(2 / 3), expect.closeTo(0.2)],
      gap: expect.closeTo(2 / 3 - 0.2),
      items: [{ item: 'a', contribution: expect.closeTo(2 / 3 - 0.2), hits: [2, 2], count: 4 }],
      rest: { items: 0, contribution: expect.closeTo(0) },
    });
    const { groups } = body as { groups: { groups: { contribution: number }[] }[] };
    for (const { groups: own } of groups) {
      const sum = own.reduce((total, { contribution }) => total + contribution, 0);
      expect(sum).toBeCloseTo(2 / 3 - 0.2, 12);
    }
    expect(await get(server, asked)).toMatchObject({ body });
  });

  it('can be asked for two models, a form and an estimator', async () => {
    const server = await withRows();
    const { body } = await get(server, `${asked}&against=m&aggregation=user&estimator=gs`);
    expect(faults(GapOrReason, body)).toEqual([]);
    expect(body).toMatchObject({
      numbers: [{ estimator: 'gs', aggregation: 'user' }, { estimator: 'gs' }],
      gap: 0,
    });
  });

  it('has a reason if a number is missing or withheld, and rejects malformed queries', async () => {
    const server = await withRows();
    const absent = await get(server, `${asked}&against=other`);
    expect(absent.status).toBe(200);
    expect(absent.body).toMatchObject({
      reason: expect.stringContaining('cannot be split by items'),
    });
    expect((await get(server, '/api/v1/why?model=m')).status).toBe(400);
    expect((await get(server, `${asked}&no=such`)).status).toBe(400);
    const { windows } = makeSnapshot();
    const [row] = windows[0]!.results;
    const own = { ...row!, model: 'm', metric: 'recall', k: 1, form: 'pooled' } as const;
    const results = [withheldOf({ ...own, estimator: 'naive' }, 'caused_by_lists')];
    const held = await withRows({ windows: [{ ...windows[0]!, name: 'short', results }] });
    expect(await get(held, asked)).toMatchObject({
      status: 200,
      body: { reason: 'naive of "m" is not reported' },
    });
  });

  it('includes an item’s positions in the lists of the models', async () => {
    const server = await withRows();
    const { body } = await get(server, '/api/v1/items/b?window=short');
    expect(faults(ItemAnswer, body)).toEqual([]);
    expect(body).toMatchObject({
      lists: {
        window: 'short',
        models: [{ model: 'm', rows: 1, listed: 1, bestRank: 2, medianRank: 2 }],
      },
    });
  });
});

describe('the OpenAPI description', () => {
  interface Description {
    readonly openapi: string;
    readonly security?: object;
    readonly components?: { readonly securitySchemes?: object };
    readonly paths: Readonly<
      Record<string, { get: { summary: string; security?: object; responses: object } }>
    >;
  }
  const TOKEN = 'correct-horse-battery-staple';
  const described = async (server: TestServer): Promise<Description> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${server.address}/docs/json`, { headers });
    return (await response.json()) as Description;
  };

  it('requires a token only if the service does, and not for health checks', async () => {
    const open = await described(await started());
    expect(open).not.toHaveProperty('security');
    expect(open.components ?? {}).not.toHaveProperty('securitySchemes');
    const guarded = await described(await started({ token: TOKEN }));
    expect(guarded.security).toEqual([{ bearer: [] }]);
    expect(guarded.paths['/healthz'].get.security).toEqual([]);
    const { responses } = guarded.paths['/api/v1/estimates'].get;
    expect(Object.keys(responses)).toContain('401');
    expect(Object.keys(open.paths['/api/v1/estimates'].get.responses)).not.toContain('401');
    expect(Object.keys(guarded.paths['/healthz'].get.responses)).toEqual(['200', '503']);
  });

  it('lists every route with its responses', async () => {
    const { openapi, paths } = await described(await started());
    expect(openapi).toBe('3.1.0');
    const routes = ['estimates', 'estimates/history', 'popularity', 'propensity', 'items/{id}'];
    routes.push('users/{id}', 'why', 'alarms', 'stream');
    for (const route of routes) {
      const { get: own } = paths[`/api/v1/${route}`];
      expect(own.summary.length, route).toBeGreaterThan(5);
      expect(Object.keys(own.responses), route).toEqual(
        expect.arrayContaining(['200', '400', '421', '429']),
      );
    }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/metrics', '/healthz', '/readyz']));
  });

  it('has one schema for the items of each array, as OpenAPI 3.1 requires', async () => {
    const { paths } = await described(await started());
    const arrays = schemasIn(paths).filter(({ type }) => type === 'array');
    expect(arrays.length).toBeGreaterThan(50);
    for (const own of arrays) {
      expect(Array.isArray(own['items']), JSON.stringify(own)).toBe(false);
      expect(own).not.toHaveProperty('additionalItems');
    }
  });
});

/** All objects of a description, whatever they stand in. */
function schemasIn(part: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.values(part).flatMap(schemasIn);
  return Array.isArray(part) ? inner : [part as Readonly<Record<string, unknown>>, ...inner];
}

/** The n-th tick of a window with withheld estimates, organic ones and rewards of lists. */
function withCauses(n: number): Snapshot {
  const snapshot = makeSnapshot({ paneEnd: START + n * MINUTE });
  const [window] = snapshot.windows;
  const given = window.results.filter(({ model, k }) => model === 'good' && k === 5);
  const of = (value: number) => ({ value, lower: value - 0.05, upper: value + 0.05 });
  const uncaused = given.map((row) => ({ ...row, ...of(n / 10) }));
  const withheld = window.results.map((row) => withheldOf(row, 'own_lists'));
  const reward = { model: 'good', value: n, lower: n - 0.5, upper: n + 0.5 };
  const values = [shownOf({ ...reward, stdErr: 0.25, lists: 100, users: 50, ess: 40 })];
  const found = {
    results: uncausedOf(uncaused),
    differences: [],
    effectiveSampleSizes: [],
    rows: 9,
    users: 5,
  };
  return {
    ...snapshot,
    windows: [
      {
        ...window,
        results: withheld,
        feedback: feedbackReport(0.5, { uncaused: found }),
        onPolicy: { refused: null, values, named: 50, elsewhere: 0 },
      },
    ],
  };
}
