import { describe, expect, it } from 'vitest';
import { calibration } from '../../src/estimators/propensity/calibration.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { seeded } from '../oracle/random.js';
import { totals } from '../oracle/stream.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { RestartedReader } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

const ITEMS = 60;
const HORIZON = 120;
/** Randomised traffic is there between these times only: what it tells is forgotten. */
const RANDOMIZED_FROM = 1060;
const RANDOMIZED_TO = 1200;
const END = 1500;

/**
 * Organic interactions by Zipf's law, eight a millisecond; randomised ones by the square root of its
 * shares, so that β is .5.
 */
function aLog(): Event[] {
  const random = seeded(12);
  const drawer = (power: number) => {
    const shares = Array.from({ length: ITEMS }, (_, i) => (i + 1) ** -power);
    const sum = shares.reduce((a, b) => a + b, 0);
    return () => {
      let left = random() * sum;
      const item = shares.findIndex((share) => {
        left -= share;
        return left < 0;
      });
      return `i${item}`;
    };
  };
  const organic = drawer(1);
  const relevant = drawer(0.5);
  const log: Event[] = [];
  for (let ts = 1000; ts < END; ts++) {
    for (let n = 0; n < 10; n++) {
      const user = `u${Math.floor(random() * 200)}`;
      const of = { type: 'interaction', id: `x${ts}-${n}`, ts, user } as const;
      const hasRandomized = ts >= RANDOMIZED_FROM && ts < RANDOMIZED_TO;
      if (n < 8) log.push({ ...of, item: organic() });
      else if (hasRandomized) log.push({ ...of, item: relevant(), randomized: true });
    }
    const items = Array.from({ length: 3 }, (_, n) => `i${(ts + 7 * n) % ITEMS}`);
    log.push({ type: 'exposure', id: `e${ts}`, ts, user: `u${ts % 200}`, model: 'm', items });
  }
  return log;
}

const base = quickOptions();
const OPTIONS: MonitorOptions = {
  ...base,
  popularity: { horizonMs: HORIZON, of: 'positive', randomized: 'ignore' },
  gamma: { use: 'auto', fit: 'ols', default: 0.5, periodMs: 60 },
  estimates: { ...base.estimates, metrics: ['dcg'], ks: [2], estimators: ['naive', 'snips'] },
};
const log = aLog();

describe('γ chosen from the data', () => {
  const { snapshots } = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 });

  it('is calibrated on exactly the positives within the horizon', () => {
    let compared = 0;
    for (const { paneEnd, propensity } of snapshots) {
      const settings = { horizonMs: HORIZON, ttlMs: 50, gamma: 0, smoothing: 0.5, k: 2 };
      const of = (countsRandomized: boolean) =>
        totals(log, paneEnd, { ...settings, of: 'positive', countsRandomized }).popular;
      const counts = (events: readonly Event[]) => {
        const found = new Float64Array(ITEMS);
        for (const e of events) if (e.type === 'interaction') found[Number(e.item.slice(1))]++;
        return found;
      };
      const organic = counts(of(false));
      const randomized = counts(of(true)).map((n, i) => n - organic[i]);
      const wanted = calibration(organic, randomized, ITEMS);
      expect(differences(propensity.auto!.calibration, wanted, 1e-9)).toEqual([]);
      if (wanted.status === 'ok') compared++;
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('changes its source only after three ticks in favour of another', () => {
    const sources = snapshots.map(({ propensity }) => propensity.source);
    expect(sources[0]).not.toBe('calibrated');
    expect(sources).toContain('calibrated');
    expect(sources.at(-1)).not.toBe('calibrated');
    snapshots.forEach(({ propensity }, t) => {
      const before = snapshots[t - 1]?.propensity;
      if (before === undefined || before.source === propensity.source) return;
      expect(before.auto!.asking).toEqual({ source: propensity.source, ticks: 2 });
    });
    for (const { propensity } of snapshots) {
      if (propensity.source !== 'calibrated') continue;
      // β is .5 and known to ± .15 at worst: γ is 0 ± .3.
      expect(Math.abs(propensity.gamma)).toBeLessThan(0.75);
      expect(propensity.gammaStdErr).toBeGreaterThan(0);
    }
  });

  it('is the same after restarts', () => {
    const reader = new RestartedReader(log, OPTIONS, 1);
    for (let n = 0; n < 8; n++) {
      reader.read('exposures', 0, 60);
      reader.read('interactions', 0, 510);
      reader.checkpoint(0);
      reader.restart();
    }
    reader.finish();
    expect(differences(paneSeries(reader.snapshots), snapshots, 1e-9)).toEqual([]);
  });

  it('is the same if other processes close the panes', () => {
    const found = throughRecords(log, OPTIONS, 4).snapshots;
    expect(differences(found, snapshots, 1e-9)).toEqual([]);
  });
});
