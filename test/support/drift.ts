import type { DriftOptions } from '../../src/features/drift/drift-options.js';
import type { DriftSources } from '../../src/features/drift/drift-readings.js';
import type { Popularity } from '../../src/state/counts/popularity.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { estimateOf } from './rows.js';

export const PANE_MS = 3_600_000;

/** CUSUM and PSI on panes of an hour, without a season. */
export function driftOptions(overrides: Partial<DriftOptions> = {}): DriftOptions {
  return {
    detectors: ['cusum', 'psi'],
    windowMs: PANE_MS,
    metric: { metric: 'recall', k: 10 },
    estimators: ['naive', 'snips'],
    allowance: 0.5,
    threshold: 5,
    guarantee: 500,
    learn: 20,
    hold: 5,
    seasonMs: null,
    ...overrides,
  };
}

export interface ModelPane {
  readonly naive: number;
  readonly snips: number;
  readonly ess?: number;
}

export interface PaneShape {
  readonly models?: Readonly<Record<string, ModelPane>>;
  readonly gammaStatus?: 'ok' | 'poor_fit';
  readonly source?: Snapshot['propensity']['source'];
  /** How γ is chosen from the data; not at all by default. */
  readonly auto?: Snapshot['propensity']['auto'];
  readonly users?: number;
}

/** A snapshot of the n-th pane whose only window is the pane, with the given pooled recall@10. */
export function paneSnapshot(n: number, shape: PaneShape = {}): Snapshot {
  const { models = {}, gammaStatus = 'ok', source = 'fit', users = 200, auto } = shape;
  const paneEnd = (n + 1) * PANE_MS;
  const base = makeSnapshot({ models: Object.keys(models), windows: ['1h'], paneEnd });
  const results = Object.entries(models).flatMap(([model, own]) =>
    (['naive', 'snips'] as const).map((estimator) =>
      estimateOf({
        model,
        metric: 'recall',
        k: 10,
        estimator,
        aggregation: 'pooled',
        users,
        events: 400,
        value: own[estimator],
        stdErr: 0.01,
        lower: 0,
        upper: 1,
        ess: own.ess ?? 100,
        gammaSlope: 0,
        gammaStdErr: 0,
        guarantees: [],
        numerator: 1,
        denominator: 1,
      }),
    ),
  );
  const fit = { ...base.propensity.fits['*'], status: gammaStatus };
  return {
    ...base,
    propensity: { ...base.propensity, source, fits: { '*': fit }, ...(auto ? { auto } : {}) },
    windows: [
      {
        ...base.windows[0],
        from: paneEnd - PANE_MS,
        to: paneEnd,
        results,
        effectiveSampleSizes: [],
        counts: { ...base.windows[0].counts, users },
      },
    ],
  };
}

export interface TrafficShape {
  /** Interactions of the pane, and of the time before it, by item. */
  readonly now: readonly number[];
  readonly before: readonly number[];
  /** Exposures of models, by name. */
  readonly exposures?: Readonly<
    Record<string, { now: readonly number[]; before: readonly number[] }>
  >;
}

/** Counts of items i0, i1, …; shadow models have no exposures. */
export function sources(
  shape: TrafficShape = { now: [], before: [] },
  shadows: readonly string[] = [],
): DriftSources {
  const models = Object.entries(shape.exposures ?? {});
  const names = [...models.map(([name]) => name), ...shadows];
  const rolling = (counts: readonly number[]) => ({
    counts: Int32Array.from(counts),
    size: counts.length,
  });
  const counted = (
    { now, before }: { now: readonly number[]; before: readonly number[] },
    horizonMs?: number,
  ) => rolling(horizonMs === undefined ? before.map((n, i) => n + (now[i] ?? 0)) : now);
  return {
    popularity: {
      models: models.length,
      popularity: (horizonMs?: number) => counted(shape, horizonMs),
      exposures: (model: number, horizonMs?: number) => counted(models[model][1], horizonMs),
    } as unknown as Popularity,
    models: names.map((name, id) => ({ name, id })),
    items: {
      size: shape.before.length,
      text: (item) => `i${item}`,
      compare: (a, b) => a - b,
    },
    rows: [],
    tickMs: PANE_MS,
  };
}
