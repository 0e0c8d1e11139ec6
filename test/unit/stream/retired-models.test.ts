import { describe, expect, it } from 'vitest';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { driftOptions } from '../../support/drift.js';
import { type Event, type Fed, feed, quickOptions, withNaive } from '../../support/log.js';

const one = { partitions: 1, batchSize: 7, run: 1 };
const START = 1000;
/** Panes of 10 ms, windows of 60, lists rank for 50: quiet after 12 panes. */
const options = (overrides: Partial<MonitorOptions> = {}) =>
  quickOptions({
    ...withNaive(),
    maxModels: 2,
    popularity: { horizonMs: 400, of: 'positive' },
    ...overrides,
  });

/** A list of the model and a click on it, every other ms. */
function traffic(models: readonly string[], from: number, to: number): Event[] {
  const events: Event[] = [];
  for (let ts = from; ts < to; ts += 2) {
    const user = `u${(ts / 2) % 7}`;
    const model = models[(ts / 2) % models.length]!;
    const items = ['a', 'b', 'c', 'd'];
    events.push({ type: 'exposure', id: `e${ts}`, ts, user, model, items });
    events.push({ type: 'interaction', id: `x${ts}`, ts: ts + 1, user, item: 'abcd'[ts % 4]! });
  }
  return events;
}

/** A list of a name that never comes again. */
const once = (name: string, ts: number): Event => ({
  ...{ type: 'exposure', id: `once-${name}`, ts, user: 'u1', model: name, items: ['a', 'b'] },
});

const newest = ({ snapshots }: Fed): Snapshot => snapshots.at(-1)!;
const valuesOf = ({ windows }: Snapshot, model: string) =>
  windows[0]!.results.filter((row) => row.model === model && Number.isFinite(row.value));

describe('models that send no lists any more', () => {
  it('make way for a new one, which is evaluated with all that it sent', () => {
    const retired = traffic(['old', 'older'], START, START + 100);
    const fed = feed([...retired, ...traffic(['new'], START + 100, START + 400)], options(), one);
    expect(newest(fed).models).toEqual(['new', 'old']);
    expect(valuesOf(newest(fed), 'new').length).toBeGreaterThan(0);
    const alone = feed(traffic(['new'], START + 100, START + 400), options(), one);
    // Weights know more events; the ranks are the same.
    const naive = (fed: Fed) =>
      valuesOf(newest(fed), 'new').filter(({ estimator }) => estimator === 'naive');
    expect(naive(fed).length).toBeGreaterThan(0);
    expect(naive(fed)).toEqual(naive(alone));
  });

  it('keep theirs for as long as anything of them is in a window, and the new one is reported', () => {
    const retired = traffic(['old', 'older'], START, START + 100);
    const fed = feed([...retired, ...traffic(['new'], START + 100, START + 400)], options(), one);
    const at = (paneEnd: number) => fed.snapshots.find((own) => own.paneEnd === paneEnd)!;
    expect(at(START + 200).models).toEqual(['old', 'older']);
    expect(at(START + 200).modelsLeftOut).toEqual({ models: 1, names: ['new'] });
    expect(at(START + 300).models).toContain('new');
    expect(at(START + 300).modelsLeftOut).toBeUndefined();
  });

  it('stay while nobody needs their place, until the horizon has left them behind', () => {
    const log = [
      ...traffic(['old'], START, START + 100),
      ...traffic(['new'], START + 100, START + 700),
    ];
    const fed = feed(log, options(), one);
    const at = (paneEnd: number) => fed.snapshots.find((own) => own.paneEnd === paneEnd)!.models;
    expect(at(START + 400)).toEqual(['new', 'old']);
    expect(at(START + 600)).toEqual(['new']);
  });

  it('are followed by one after the other, for as long as the log goes on', () => {
    const models = Array.from({ length: 12 }, (_, n) => `m${n}`);
    const log = models.flatMap((model, n) =>
      traffic([model, 'steady'], START + n * 200, START + (n + 1) * 200),
    );
    const fed = feed(log, options(), one);
    for (const [n, model] of models.entries()) {
      const { models: shown } = fed.snapshots.find(
        ({ paneEnd }) => paneEnd === START + n * 200 + 190,
      )!;
      expect(shown).toEqual([model, 'steady']);
    }
  });
});

describe('a model that makes way', () => {
  const drift = driftOptions({
    ...{ windowMs: 20, metric: { metric: 'dcg', k: 2 }, learn: 3, hold: 2 },
    detectors: ['cusum', 'psi', 'vanished'],
  });
  const retired = traffic(['old', 'a/old'], START, START + 200);
  const log = [...retired, ...traffic(['new', 'other'], START + 200, START + 600)];
  const fed = feed(log, options({ drift }), one);
  const seriesOf = ({ drift: scores = [] }: Snapshot, model: string) =>
    scores.filter((score) => score.model === model);

  it('is watched until then, and no longer', () => {
    const at = (paneEnd: number) => fed.snapshots.find((own) => own.paneEnd === paneEnd)!;
    expect(at(START + 400).models).toEqual(['a/old', 'old']);
    expect(seriesOf(at(START + 400), 'a/old')).not.toEqual([]);
    const last = newest(fed);
    expect(last.models).toEqual(['new', 'other']);
    for (const model of ['old', 'a/old']) expect(seriesOf(last, model)).toEqual([]);
    expect(seriesOf(last, 'new')).not.toEqual([]);
  });

  it('leaves no gauge behind', async () => {
    const exporter = new Exporter({ maxModels: 2, version: '0', topics: [] });
    const metricsAt = async (snapshot: Snapshot) => {
      exporter.update(snapshot);
      return await exporter.metrics();
    };
    expect(await metricsAt(fed.snapshots[30]!)).toContain('model="old"');
    const text = await metricsAt(newest(fed));
    expect(text).toContain('model="new"');
    expect(text).not.toMatch(/model="(a\/)?old"/);
    expect(text).toMatch(/^unskew_series_dropped_total 0$/m);
  });
});

describe('names that come once', () => {
  const garbage = (count: number, to: number) =>
    Array.from({ length: count }, (_, n) => {
      const ts = START + Math.floor(((to - START) * n) / count);
      return once(`request-${n}`, ts);
    });

  it('push no model out that comes again, and are counted', () => {
    const models = ['a', 'b'];
    const steady = traffic(models, START, START + 600);
    const log = [...steady, ...garbage(600, START + 600)].sort((a, b) => +a.ts - +b.ts);
    const fed = feed(log, options(), one);
    const wanted = feed(steady, options(), one);
    const last = newest(fed);
    expect(last.models).toEqual(models);
    expect(valuesOf(last, 'a').length).toBeGreaterThan(0);
    expect(last.modelsLeftOut!.models).toBeGreaterThan(2);
    expect(fed.listsLeftOut).toBeGreaterThan(550);
    const naive = (fed: Fed) =>
      newest(fed).windows[0]!.results.filter(({ estimator }) => estimator === 'naive');
    expect(naive(fed).length).toBeGreaterThan(0);
    expect(naive(fed)).toEqual(naive(wanted));
  });

  it('keep none out that comes in two panes', () => {
    const log = [
      ...garbage(900, START + 600),
      ...traffic(['a', 'b'], START + 300, START + 600),
    ].sort((a, b) => +a.ts - +b.ts);
    const fed = feed(log, options(), one);
    expect(fed.snapshots.find(({ paneEnd }) => paneEnd === START + 330)!.models).toEqual([
      'a',
      'b',
    ]);
    expect(newest(fed).models).toEqual(['a', 'b']);
  });
});
