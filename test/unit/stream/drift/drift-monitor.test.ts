import { describe, expect, it } from 'vitest';
import { POSITIVE } from '../../../../src/events/columns.js';
import type { Alarm } from '../../../../src/features/drift/alarm.js';
import { DriftMonitor } from '../../../../src/features/drift/drift-monitor.js';
import type { DriftOptions } from '../../../../src/features/drift/drift-options.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { normals } from '../../../oracle/normal.js';
import {
  driftOptions,
  PANE_MS,
  type PaneShape,
  paneSnapshot,
  sources,
  type TrafficShape,
} from '../../../support/drift.js';

type Shape = PaneShape & { readonly traffic?: TrafficShape };

/** Runs panes 0 … count − 1 through a monitor; `undefined` is a pane without values. */
function run(
  count: number,
  shape: (pane: number) => Shape,
  options: Partial<DriftOptions> = {},
  monitor = new DriftMonitor(driftOptions(options)),
  first = 0,
): Snapshot[] {
  return Array.from({ length: count }, (_, step) => {
    const { traffic, ...pane } = shape(first + step);
    const names = Object.keys(pane.models ?? {});
    const shown = Object.keys(traffic?.exposures ?? {});
    const own = paneSnapshot(first + step, pane);
    const snapshot = { ...own, models: [...new Set([...own.models, ...shown])] };
    return runAtOnce(monitor.observe(snapshot, sources(traffic, names)));
  });
}

/** Two steady models, of which `turning` falls by this much from the pane on. */
function models(seed: number, from = Number.POSITIVE_INFINITY, fall = 0.05) {
  const random = normals(seed);
  return (pane: number) => ({
    steady: { naive: 0.3 + 0.01 * random(), snips: 0.2 + 0.01 * random() },
    turning: {
      naive: 0.3 + 0.01 * random(),
      snips: 0.2 - (pane >= from ? fall : 0) + 0.01 * random(),
    },
  });
}

const raised = (snapshots: readonly Snapshot[]): Alarm[] =>
  snapshots.flatMap(({ alarms, paneEnd }) => alarms.filter(({ at }) => at === paneEnd));

describe('a fall of five standard errors in one model’s debiased estimate', () => {
  const made = models(1, 40);
  const snapshots = run(60, (pane) => ({ models: made(pane) }));

  it('is found within three panes, dated, sized, and laid to that model alone', () => {
    const alarms = raised(snapshots);
    expect(alarms.map(({ series }) => series).sort()).toEqual([
      'estimate/snips/recall@10/turning',
      'gap/snips/recall@10/turning',
    ]);
    for (const { at, since, size, models: named, detector, suppressed, series } of alarms) {
      expect(detector).toBe('cusum');
      expect(suppressed).toBeNull();
      expect(named).toEqual(['turning']);
      expect(at / PANE_MS - 41).toBeLessThanOrEqual(3);
      expect(Math.abs(since / PANE_MS - 40)).toBeLessThanOrEqual(1);
      expect(Math.sign(size!)).toBe(series.startsWith('gap') ? 1 : -1);
      expect(Math.abs(size!)).toBeGreaterThan(1.5);
    }
  });

  it('is shown for as many panes as it is to be held, and then the new level is normal', () => {
    const [{ at, series }] = raised(snapshots);
    const shown = snapshots.filter(({ alarms }) => alarms.some((a) => a.series === series));
    expect(shown.map(({ paneEnd }) => (paneEnd - at) / PANE_MS)).toEqual([0, 1, 2, 3, 4]);
    const scores = (pane: number) =>
      snapshots[pane].drift!.find((row) => row.series === series && row.detector === 'cusum')!;
    expect(scores(39).score).not.toBeNull();
    expect(scores(at / PANE_MS).score).toBeNull();
  });
});

it('an alarm on a model names the items of its hits, since the change against before it', () => {
  const monitor = new DriftMonitor(driftOptions());
  const made = models(1, 40, 0.1);
  const rows: PaneRows[] = [];
  const alarms: Alarm[] = [];
  for (let pane = 0; pane < 45; pane++) {
    // The hits of both models are of item 1 at first, of item 2 from pane 40 on.
    const ranks = Uint16Array.of(0);
    rows.push({
      ...{ pane, length: 1, user: Int32Array.of(0), item: Int32Array.of(pane < 40 ? 1 : 2) },
      ...{ flags: Uint8Array.of(POSITIVE), ranks: [ranks, ranks], lists: [] },
      propensity: undefined,
    });
    const snapshot = paneSnapshot(pane, { models: made(pane) });
    const traffic = sources({ now: [0, 0, 0], before: [0, 0, 0] }, ['steady', 'turning']);
    alarms.push(...raised([runAtOnce(monitor.observe(snapshot, { ...traffic, rows }))]));
  }
  const { since, topItems } = alarms.find(({ series }) => series.startsWith('estimate/snips'))!;
  expect(since / PANE_MS).toBe(40);
  expect(topItems).toEqual([
    { item: 'i1', share: 0, before: 1 },
    { item: 'i2', share: 1, before: 0 },
  ]);
});

describe('a level that changes with the hour of the day, and in no other way', () => {
  const daily = () => {
    const random = normals(2);
    return (pane: number): Shape => {
      const hour = 0.05 * Math.sin((2 * Math.PI * pane) / 24);
      const naive = 0.3 + hour + 0.01 * random();
      return { models: { m: { naive, snips: 0.2 + hour + 0.01 * random() } } };
    };
  };

  it('is normal where the baseline is that of the hour', () => {
    const snapshots = run(240, daily(), { seasonMs: 24 * PANE_MS });
    expect(raised(snapshots)).toEqual([]);
    const judged = snapshots.filter(({ drift }) => drift!.some(({ score }) => score !== null));
    // Every hour has to be known first.
    expect(judged[0].paneEnd / PANE_MS).toBe(27);
    expect(judged).toHaveLength(240 - 26);
  });

  it('is an alarm at another hour, where any hour’s would do without a season', () => {
    const found = (seasonMs: number | null) => {
      const shape = daily();
      return raised(run(204, (pane) => shape(pane < 200 ? pane : pane + 12), { seasonMs })).filter(
        ({ at }) => at / PANE_MS > 200,
      );
    };
    expect(found(24 * PANE_MS).length).toBeGreaterThan(0);
    expect(found(null)).toEqual([]);
  });
});

describe('an alarm is suppressed, and says why,', () => {
  const made = () => models(3, 40);

  it('where a pane since the change rests on fewer than 30 effective users', () => {
    const values = made();
    const alarms = raised(
      run(50, (pane) => {
        const { steady, turning } = values(pane);
        const ess = pane === 40 ? 12.3 : 100;
        return { models: { steady, turning: { ...turning, ess } } };
      }),
    );
    expect(alarms.length).toBeGreaterThan(0);
    const [first] = alarms.filter(({ series }) => series.startsWith('estimate/snips'));
    expect(first.suppressed).toBe('effective sample size 12.3 is below 30');
  });

  it('and the evidence is gathered again, so that the change is found once the panes are sound', () => {
    const values = made();
    const alarms = raised(
      run(60, (pane) => {
        const { steady, turning } = values(pane);
        const ess = pane >= 40 && pane < 43 ? 12.3 : 100;
        return { models: { steady, turning: { ...turning, ess } } };
      }),
    ).filter(({ series }) => series === 'estimate/snips/recall@10/turning');
    expect(alarms[0].suppressed).not.toBeNull();
    const sound = alarms.find(({ suppressed }) => suppressed === null)!;
    expect(sound.since / PANE_MS).toBeGreaterThanOrEqual(43);
    expect(sound.at / PANE_MS).toBeLessThan(50);
  });

  it('where the fit of γ is not ok, but not where γ is fixed, and never for naive', () => {
    const panes = (source: 'fit' | 'fixed') => {
      const values = made();
      return raised(
        run(50, (pane) => {
          const { steady, turning } = values(pane);
          const naive = turning.naive - (pane >= 40 ? 0.05 : 0);
          const gammaStatus = pane >= 38 ? 'poor_fit' : 'ok';
          return { source, gammaStatus, models: { steady, turning: { ...turning, naive } } };
        }),
      );
    };
    const fitted = panes('fit');
    for (const { series, suppressed } of fitted) {
      const expected = series.includes('/snips/') ? 'the fit of γ is poor_fit' : null;
      expect(suppressed).toBe(expected);
    }
    expect(new Set(fitted.map(({ series }) => series))).toContain(
      'estimate/naive/recall@10/turning',
    );
    expect(panes('fixed').every(({ suppressed }) => suppressed === null)).toBe(true);
  });

  it('where γ may soon come from elsewhere, and not while its source stands', () => {
    const panes = (asking: { source: 'fit'; ticks: number } | undefined) => {
      const values = made();
      return raised(
        run(50, (pane) => {
          const auto = {
            ...(pane >= 38 && asking ? { asking } : {}),
          } as Snapshot['propensity']['auto'];
          return {
            source: 'assumed' as const,
            gammaStatus: 'poor_fit' as const,
            auto,
            models: values(pane),
          };
        }),
      ).filter(({ series }) => series.includes('/snips/'));
    };
    const asked = panes({ source: 'fit', ticks: 1 });
    expect(asked.length).toBeGreaterThan(0);
    for (const { suppressed } of asked) expect(suppressed).toBe('γ is assumed and may soon be fit');
    expect(panes(undefined).every(({ suppressed }) => suppressed === null)).toBe(true);
  });

  it('none is raised where γ comes from elsewhere: what rests on it is learned again', () => {
    const series = (source: (pane: number) => 'assumed' | 'calibrated' | 'fit' | 'last_good') => {
      const values = made();
      const panes = run(70, (pane) => {
        return { source: source(pane), gammaStatus: 'ok', models: values(pane) };
      });
      return raised(panes).map(({ series: name }) => name);
    };
    const jumped = 'estimate/snips/recall@10/turning';
    expect(series(() => 'assumed')).toContain(jumped);
    const other = series((pane) => (pane < 40 ? 'assumed' : 'calibrated'));
    expect(other.filter((name) => name.includes('/snips/'))).toEqual([]);
    // The fit of an earlier tick is no other source.
    expect(series((pane) => (pane < 40 ? 'fit' : 'last_good'))).toContain(jumped);
  });
});

describe('traffic', () => {
  const items = 40;
  const before = Array.from({ length: items }, (_, item) => 40 * (item + 1));
  /** Multinomial counts of this many events with probabilities ∝ (item + 1)^power. */
  const drawn = (random: () => number, power: number, events: number) => {
    const weights = before.map((_, item) => (item + 1) ** power);
    const total = weights.reduce((sum, w) => sum + w, 0);
    // A normal approximation is as good as a draw here.
    return weights.map((w) => {
      const mean = (events * w) / total;
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * random()));
    });
  };

  it('that turns to popular items is found in its Gini index and its distribution, with the items', () => {
    const random = normals(14);
    const alarms = raised(
      run(50, (pane) => {
        const now = drawn(random, pane >= 40 ? 2.5 : 1, 2000);
        const same = drawn(random, 1, 2000);
        return {
          traffic: {
            now,
            before,
            exposures: { popular: { now, before }, other: { now: same, before } },
          },
        };
      }),
    );
    const kinds = new Set(alarms.map(({ series }) => series));
    expect(kinds).toEqual(
      new Set([
        'gini/interactions',
        'popularity/interactions',
        'gini/exposures/popular',
        'popularity/exposures/popular',
      ]),
    );
    for (const { series, models: named, topItems } of alarms) {
      expect(named[0]).toBe('popular');
      expect(topItems[0].item).toBe('i39');
      expect(topItems[0].share).toBeGreaterThan(topItems[0].before);
      expect(topItems).toHaveLength(5);
      if (series === 'popularity/interactions') expect(named).not.toContain('other');
    }
  });

  it('of which there is three times as much says nothing about its Gini index', () => {
    const random = normals(5);
    const alarms = raised(
      run(50, (pane) => ({
        traffic: { now: drawn(random, 1, pane >= 40 ? 60 : 400), before },
      })),
    );
    const gini = alarms.filter(({ series }) => series === 'gini/interactions');
    expect(gini.length).toBeGreaterThan(0);
    for (const { suppressed } of gini) expect(suppressed).toMatch(/times the usual number/);
  });
});

describe('the state', () => {
  it('can be stored as JSON at any pane and restored, as if nothing had happened', () => {
    const options = { detectors: ['cusum', 'e-cusum', 'e-sr', 'psi', 'js'] } as const;
    const random = normals(6);
    const made = models(7, 40);
    const before = Array.from({ length: 12 }, (_, item) => 50 + item);
    const shapes = Array.from({ length: 60 }, (_, pane): Shape => {
      const now = before.map((n) => Math.max(0, Math.round(n + 6 * random())));
      return { models: made(pane), traffic: { now, before } };
    });
    const whole = run(60, (pane) => shapes[pane], options);
    for (const cut of [1, 21, 41, 44]) {
      const first = new DriftMonitor(driftOptions(options));
      run(cut, (pane) => shapes[pane], options, first);
      const second = new DriftMonitor(driftOptions(options));
      second.restore(first.stored());
      const rest = run(60 - cut, (pane) => shapes[pane], options, second, cut);
      expect(rest).toEqual(whole.slice(cut));
    }
    expect(raised(whole).length).toBeGreaterThan(0);
  });

  it('does not change between the ends of the detectors’ panes', () => {
    // Ticks of half a pane: every other one ends in the middle of a pane.
    const monitor = new DriftMonitor(driftOptions());
    const made = models(8);
    const tick = (halves: number) => {
      const own = paneSnapshot(0, { models: made(0) });
      const paneEnd = (halves * PANE_MS) / 2;
      const windows = own.windows.map((window) => ({
        ...{ ...window, from: paneEnd - PANE_MS, to: paneEnd },
      }));
      const shadows = ['steady', 'turning'];
      const snapshot = { ...own, paneEnd, windows };
      return runAtOnce(monitor.observe(snapshot, sources(undefined, shadows)));
    };
    let last: unknown;
    for (let halves = 2; halves < 30; halves++) {
      const { drift } = tick(halves);
      const state = monitor.stored();
      expect(drift!.length).toBe(6);
      if (halves % 2 === 1) expect(state).toBe(last);
      else expect(state).not.toBe(last);
      last = state;
    }
  });
});
