import { LEADING, UNCORRECTED } from '../../estimators/names.js';
import {
  USED_GAMMA_SOURCES,
  type UsedGammaSource,
} from '../../estimators/propensity/gamma-source.js';
import type { TopicFacts } from '../../rows/findings/facts.js';
import { aggregationOf } from '../../rows/reading.js';
import type { ShownRow } from '../../rows/row.js';
import type { SnapshotReport } from '../http/schema/snapshot.js';
import {
  type HasDifferences,
  type HasRows,
  windowDifferences,
  windowRows,
} from '../window-rows.js';
import { type KeptValue, seriesKey } from './series.js';

/** Event counts by topic and outcome, since the service started. */
export interface EventQuality {
  readonly topics: readonly Omit<TopicFacts, 'partitions'>[];
}

/** The parts of a snapshot, or of its JSON, that the history stores. */
export type KeptSnapshot = Pick<SnapshotReport, 'popularity' | 'propensity' | 'truth'> & {
  readonly windows: readonly (Pick<
    SnapshotReport['windows'][number],
    'name' | 'effectiveSampleSizes'
  > &
    HasRows &
    HasDifferences)[];
};

/** Convert the stored number of a γ source to its name; undefined if the number is unknown. */
export function gammaSourceOf(kept: number | null | undefined): UsedGammaSource | undefined {
  return kept === null || kept === undefined ? undefined : USED_GAMMA_SOURCES[kept];
}

/** Yield every value of a tick that the history stores, with its key. */
export function* tickValues(snapshot: KeptSnapshot, quality: EventQuality): Generator<KeptValue> {
  yield* estimateValues(snapshot);
  for (const window of snapshot.windows) {
    yield* differenceValues(window);
  }
  yield* popularityValues(snapshot);
  yield* propensityValues(snapshot);
  for (const { topic, accepted, late, duplicate, faults, lag } of quality.topics) {
    const faulty = Object.values(faults).reduce((sum, count) => sum + count, 0);
    const counts = {
      accepted,
      late,
      duplicate,
      faults: faulty,
      lag,
    };
    for (const [name, value] of Object.entries(counts)) {
      yield [seriesKey('quality', [topic], name), value];
    }
  }
}

function* estimateValues({ windows, truth }: KeptSnapshot): Generator<KeptValue> {
  for (const window of windows) {
    const { name, effectiveSampleSizes } = window;
    for (const row of windowRows(window)) {
      yield* kept(row, name);
    }
    for (const { model, estimator, users, events } of effectiveSampleSizes) {
      yield [seriesKey('samples', [model, estimator, name], 'users'), users];
      yield [seriesKey('samples', [model, estimator, name], 'events'), events];
    }
    // True values do not depend on the window, but a query for one window must find them.
    for (const { model, metric, k, aggregation, value } of truth ?? []) {
      yield [
        seriesKey('estimates', [model, metric, k, 'truth', aggregation, name], 'value'),
        value,
      ];
    }
  }
}

/**
 * Yield the differences of a window. Differences of estimates are included for one estimator only,
 * since all would double the size of the history.
 */
function* differenceValues(window: KeptSnapshot['windows'][number]): Generator<KeptValue> {
  const isLed = window.differences?.some(({ estimator }) => estimator === LEADING) ?? false;
  const led = isLed ? LEADING : UNCORRECTED;
  for (const row of windowDifferences(window)) {
    if (row.family === 'estimates' && row.estimator !== led) continue;
    const { model, reference, metric, k, estimator } = row;
    const labels = [model, reference, metric, k, estimator, aggregationOf(row), window.name];
    for (const each of ['value', 'lower', 'upper'] as const) {
      yield [seriesKey('differences', labels, each), row[each]];
    }
  }
}

/**
 * Names of the values that are stored of an estimate: one set for estimates over all interactions,
 * one for estimates over organic ones.
 */
const NAMES = {
  all: {
    value: 'value',
    lower: 'lower',
    upper: 'upper',
  },
  uncaused: {
    value: 'uncaused',
    lower: 'uncausedLower',
    upper: 'uncausedUpper',
  },
} as const;

/** Yield value and interval of a row, under the names for its family. */
function* kept(row: ShownRow, window: string): Generator<KeptValue> {
  const { model, metric, k, estimator, family } = row;
  const labels = [model, metric, k, estimator, aggregationOf(row), window];
  const names = family === 'uncaused' ? NAMES.uncaused : NAMES.all;
  for (const each of ['value', 'lower', 'upper'] as const) {
    yield [seriesKey('estimates', labels, names[each]), row[each]];
  }
}

function* popularityValues({ popularity }: KeptSnapshot): Generator<KeptValue> {
  const { interactions, exposures } = popularity;
  const all = [
    ['interactions', null, interactions] as const,
    ...Object.entries(exposures).map(([model, counts]) => ['exposures', model, counts] as const),
  ];
  for (const [stream, model, counts] of all) {
    if (counts.total === 0) continue;
    for (const value of ['gini', 'topShare', 'coverage', 'averagePopularity'] as const) {
      yield [seriesKey('popularity', [stream, model], value), counts[value]];
    }
  }
}

function* propensityValues({ propensity }: KeptSnapshot): Generator<KeptValue> {
  yield [seriesKey('propensity', ['*', 'used'], 'gamma'), propensity.gamma];
  yield [seriesKey('propensity', ['*', 'used'], 'stdErr'), propensity.gammaStdErr];
  const source = USED_GAMMA_SOURCES.indexOf(propensity.source);
  yield [seriesKey('propensity', ['*', 'used'], 'source'), source];
  for (const [model, fits] of Object.entries(propensity.fits)) {
    for (const fit of ['ols', 'poisson'] as const) {
      yield [seriesKey('propensity', [model, fit], 'gamma'), fits[fit].gamma];
      yield [seriesKey('propensity', [model, fit], 'stdErr'), fits[fit].stdErr];
    }
  }
}
