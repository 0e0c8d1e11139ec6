import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../../src/features/alarm.js';
import { DriftMonitor } from '../../../../src/features/drift/drift-monitor.js';
import type { DriftOptions } from '../../../../src/features/drift/drift-options.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
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
    return monitor.observe(snapshot, sources(traffic, names));
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

describe('a level that changes only with the hour of the day', () => {
  const daily = () => {
    const random = normals(2);
    return (pane: number): Shape => {
      const hour = 0.05 * Math.sin((2 * Math.PI * pane) / 24);
      const naive = 0.3 + hour + 0.01 * random();
      return { models: { m: { naive, snips: 0.2 + hour + 0.01 * random() } } };
    };
  };

  it('raises no alarm with an hourly baseline', () => {
    const snapshots = run(240, daily(), { seasonMs: 24 * PANE_MS });
    expect(raised(snapshots)).toEqual([]);
    const judged = snapshots.filter(({ drift }) => drift!.some(({ score }) => score !== null));
    // The baseline of every hour has to be learned first.
    expect(judged[0].paneEnd / PANE_MS).toBe(27);
    expect(judged).toHaveLength(240 - 26);
  });
});

describe('a drift alarm', () => {
  const made = () => models(3, 40);

  it('is suppressed, with the reason, if a pane has under 30 effective users', () => {
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

  it('is suppressed if the fit of γ is poor, except for naive and fixed γ', () => {
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
      const expected = series.includes('/snips/') ? 'the fit of γ has the status poor_fit' : null;
      expect(suppressed).toBe(expected);
    }
    expect(new Set(fitted.map(({ series }) => series))).toContain(
      'estimate/naive/recall@10/turning',
    );
    expect(panes('fixed').every(({ suppressed }) => suppressed === null)).toBe(true);
  });

  it('is not raised by a change of the source of γ', () => {
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
    // Using the fit of an earlier tick is not a change of source.
    expect(series((pane) => (pane < 40 ? 'fit' : 'last_good'))).toContain(jumped);
  });
});
