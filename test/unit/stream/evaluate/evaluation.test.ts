import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExposureColumns, InteractionColumns } from '../../../../src/events/columns.js';
import { Decoder } from '../../../../src/events/decode.js';
import { encodeEvent } from '../../../../src/events/encode.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { Evaluation } from '../../../../src/stream/evaluation.js';
import type { MonitorOptions } from '../../../../src/stream/options.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import { differences } from '../../../support/compare.js';
import { type Event, smallOptions } from '../../../support/log.js';
import { aLogOf } from '../../../support/random-log.js';
import { repetitions } from '../../../support/repetitions.js';

async function evaluate(
  train: readonly Event[],
  events: readonly Event[],
  options: Partial<MonitorOptions> = {},
) {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const tables = { ...ids, users };
  const outcomes = new Outcomes();
  const evaluation = new Evaluation(smallOptions(options), ids, outcomes);
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  for (const [part, log] of [
    ['train', train],
    ['events', events],
  ] as const) {
    if (log.length === 0) continue;
    const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
    for (const event of log) {
      const bytes = Buffer.from(encodeEvent(event));
      expect(decoder.decode(bytes, 0, bytes.length, 'mixed', 0, tables, into)).toBe(0);
    }
    evaluation.accept(part, into.interactions, into.exposures);
  }
  return { snapshot: await evaluation.result(), outcomes };
}

const click = (id: string, ts: number, user: string, item: string): Event => ({
  ...{ type: 'interaction', id, ts, user, item },
});
const list = (id: string, ts: number, user: string, items: string[]): Event => ({
  ...{ type: 'exposure', id, ts, user, model: 'm', items },
});

const value = (
  { snapshot }: Awaited<ReturnType<typeof evaluate>>,
  estimator: string,
  aggregation = 'pooled',
) =>
  snapshot.windows[0]!.results.find(
    (r) =>
      r.estimator === estimator && r.form === aggregation && r.metric === 'recall' && r.k === 1,
  )!.value;

describe('an evaluation with a train part', () => {
  const train = [
    ...[click('t1', 10, 'u', 'a'), click('t2', 11, 'u', 'a'), click('t3', 12, 'v', 'a')],
    ...[click('t4', 13, 'v', 'b'), list('te', 14, 'v', ['b', 'a'])],
  ];
  const events = [
    ...[list('e1', 20, 'u', ['a', 'b']), click('x1', 21, 'u', 'a'), click('x2', 22, 'u', 'b')],
    click('x3', 23, 'v', 'b'),
  ];

  it('takes popularity and posteriors from the train part alone', async () => {
    const result = await evaluate(train, events);
    expect(result.snapshot.popularity.interactions.total).toBe(4);
    // a was clicked three times in train, b once; γ is the default 2, so β = 1.5.
    const w = { a: 3 ** -1.5, b: 1 };
    // u: a at rank 0, b at rank 1; v: b at rank 0 of the train part's list.
    expect(value(result, 'snips')).toBeCloseTo((w.a + w.b) / (w.a + 2 * w.b), 12);
    // n_u of both is 2 in train, so only the items' posteriors tell the rows apart.
    const weight = { a: 1 / (2.5 * 3.5 ** 2), b: 1 / (2.5 * 1.5 ** 2) };
    const kept = (t: number) => 3 - Math.exp(-weight.a * t) - 2 * Math.exp(-weight.b * t);
    let [low, high] = [0, 1e3];
    for (let n = 0; n < 200; n++) {
      const middle = (low + high) / 2;
      if (kept(middle) < 1.5) low = middle;
      else high = middle;
    }
    const pi = { a: 1 - Math.exp(-weight.a * low), b: 1 - Math.exp(-weight.b * low) };
    expect(value(result, 'wtd_h')).toBeCloseTo((pi.a + pi.b) / (pi.a + 2 * pi.b), 9);
  });

  it('weighs by the counts of both where that is asked for, and nothing else', async () => {
    const options = smallOptions({ baseline: 'popularity' });
    const plain = await evaluate(train, events, { baseline: 'popularity' });
    const own = await evaluate(train, events, {
      baseline: 'popularity',
      estimates: { ...options.estimates, weightsFrom: 'all' },
    });
    // a was clicked three times in train and once in the window, b once and twice.
    const w = { a: 4 ** -1.5, b: 3 ** -1.5 };
    expect(value(own, 'snips')).toBeCloseTo((w.a + w.b) / (w.a + 2 * w.b), 12);
    for (const [drawn, form] of [
      ['skew', 'pooled'],
      ['wtd_h', 'user'],
    ]) {
      expect(value(own, drawn!, form)).toBe(value(plain, drawn!, form));
    }
    const { windows, popularity, propensity } = own.snapshot;
    expect(popularity).toEqual(plain.snapshot.popularity);
    expect(propensity).toEqual(plain.snapshot.propensity);
    const baseline = ({ snapshot }: typeof own) =>
      snapshot.windows[0]!.results.filter(
        ({ model, estimator }) => model === 'popularity' && estimator === 'naive',
      );
    expect(baseline(own).length).toBeGreaterThan(0);
    expect(baseline(own)).toEqual(baseline(plain));
    expect(windows[0]!.averageInteractionPopularity).toBe(
      plain.snapshot.windows[0]!.averageInteractionPopularity,
    );
    expect(windows[0]!.singleCountShare).toBe(0);
    expect(plain.snapshot.windows[0]!.singleCountShare).toBeUndefined();
  });

  it('evaluates the events alone, with the lists of both', async () => {
    const { snapshot, outcomes } = await evaluate(train, events);
    expect(outcomes.accepted).toBe(train.length + events.length);
    const window = snapshot.windows[0]!;
    expect(window.counts).toMatchObject({ interactions: 3, positives: 3, users: 2, unranked: 0 });
    expect([window.from, window.to]).toEqual([20, 24]);
    // The train part's list ranks, but as an exposure it is of the past.
    expect(snapshot.popularity.exposures['m']!.total).toBe(2);
  });

  it('drops an id that comes again in any of the files', async () => {
    const { outcomes } = await evaluate(train, [...events, click('t1', 30, 'u', 'b')]);
    expect(outcomes.duplicate).toBe(1);
  });
});

describe('an evaluation without a train part', () => {
  it('feeds popularity from what it evaluates, and has no earlier period to fit γ on', async () => {
    const { snapshot } = await evaluate(
      [],
      [list('e', 1, 'u', ['a', 'b']), click('x', 2, 'u', 'b')],
    );
    expect(snapshot.popularity.interactions.total).toBe(1);
    expect(snapshot.propensity.fits['*']!.status).toBe('too_few_levels');
    expect(snapshot.propensity.source).toBe('assumed');
  });

  it('of nothing has no results and does not fail', async () => {
    const { snapshot } = await evaluate([], []);
    expect(snapshot.windows[0]!.results).toEqual([]);
    expect(snapshot.windows[0]!.counts.interactions).toBe(0);
  });
});

describe('events that come again', () => {
  const log = [
    ...[list('e1', 1, 'u', ['a', 'b', 'c']), click('x1', 2, 'u', 'b')],
    ...[list('e2', 3, 'u', ['b', 'a', 'c']), click('x2', 4, 'u', 'a')],
    click('x3', 5, 'u', 'c'),
  ];

  it('count as duplicates and change nothing, wherever they stand', async () => {
    const once = await evaluate([], log);
    for (const again of [[...log, ...log], log.flatMap((event) => [event, event])]) {
      const twice = await evaluate([], again);
      expect(twice.snapshot).toEqual(once.snapshot);
      expect([twice.outcomes.accepted, twice.outcomes.duplicate]).toEqual([5, 5]);
    }
  });

  it('do not keep the others from the lists that they name', async () => {
    const logged = { ...list('e1', 1, 'u', ['a', 'b']), randomized: true };
    const found = { ...click('x', 3, 'u', 'b'), exposure: 'e1' };
    const later = list('e2', 2, 'u', ['b', 'a']);
    for (const again of [[], [found]]) {
      const { snapshot } = await evaluate([], [logged, later, found, ...again]);
      expect(snapshot.windows[0]!.randomized.positives).toBe(1);
    }
  });
});

describe('an evaluation in shards', () => {
  const FAR = { rows: 1e9, listEntries: 1e9, users: 1e9 };
  const users = Array.from({ length: 11 }, (_, n) => `u${n}`);
  const anything = aLogOf(60, users);
  const ESTIMATES = { ...smallOptions().estimates, gamma: 2, interval: 'bootstrap' as const };

  it('finds what one shard finds that looks ids up one by one', async () => {
    const again = fc.array(fc.nat(120), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(anything, anything, again, fc.boolean(), async (old, log, which, isLate) => {
        const own = old.map((event) => ({ ...event, id: `t${event.id}` }));
        const train = [...own, ...own.slice(0, which.length)];
        const repeated = which.map((n) => {
          const event = [...train, ...log][n % (train.length + log.length)]!;
          return isLate ? { ...event, ts: 50 + n * 20_000 } : event;
        });
        const events = [...log.slice(0, 20), ...repeated, ...log.slice(20)];
        const options = { estimates: ESTIMATES, maxModels: 2 };
        const [sharded, whole] = [
          await evaluate(train, events, options),
          await evaluate(train, events, { ...options, limits: FAR }),
        ];
        expect(sharded.outcomes).toEqual(whole.outcomes);
        expect(differences(sharded.snapshot, whole.snapshot, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(40, 200) },
    );
  });
});
