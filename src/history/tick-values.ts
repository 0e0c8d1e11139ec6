import { LEADING, SHOWN_LISTS, UNCORRECTED } from '../estimators/names.js';
import type {
  EffectiveSampleSize,
  Estimate,
  EstimateDifference,
} from '../estimators/results/estimate.js';
import type { ValueDifferenceRow } from '../estimators/value/comparison/value-differences.js';
import type { OnPolicyValue } from '../estimators/value/on-policy-report.js';
import type { ValueRow } from '../estimators/value/window/value-row.js';
import { differencesOf, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { GammaFit } from '../propensity/gamma.js';
import { USED_GAMMA_SOURCES, type UsedGammaSource } from '../propensity/gamma-source.js';
import type { WindowReports } from '../stream/feature-types.js';
import type { Concentration, Snapshot } from '../stream/snapshot.js';
import { type KeptValue, seriesKey } from './series.js';

/** What became of the events so far, by topic. */
export interface EventQuality {
  readonly topics: readonly {
    readonly topic: string;
    readonly accepted: number;
    readonly late: number;
    readonly duplicate: number;
    readonly faults: Readonly<Record<string, number>>;
    /** Records that are not read yet, over all partitions; null while nobody knows. */
    readonly lag: number | null;
  }[];
}

type KeptEstimate = Pick<
  Estimate,
  'model' | 'metric' | 'k' | 'estimator' | 'aggregation' | 'value' | 'lower' | 'upper'
>;

type KeptValueRow = Pick<
  ValueRow,
  'model' | 'metric' | 'k' | 'estimator' | 'aggregation' | 'value' | 'lower' | 'upper'
>;

type KeptDifference<Row extends EstimateDifference | ValueDifferenceRow> = Pick<
  Row,
  'model' | 'reference' | 'metric' | 'k' | 'estimator' | 'aggregation' | 'value' | 'lower' | 'upper'
>;

/** The parts of a snapshot that are kept. */
interface KeptParts {
  readonly windows: readonly ({
    readonly name: string;
    readonly results: readonly KeptEstimate[];
    readonly differences?: readonly KeptDifference<EstimateDifference>[];
    readonly feedback?: { readonly uncaused: { readonly results: readonly KeptEstimate[] } | null };
    readonly onPolicy?: {
      readonly values: readonly Pick<OnPolicyValue, 'model' | 'value' | 'lower' | 'upper'>[];
    };
    readonly values?: readonly KeptValueRow[];
    readonly valueDifferences?: readonly KeptDifference<ValueDifferenceRow>[];
    readonly effectiveSampleSizes: readonly Pick<
      EffectiveSampleSize,
      'model' | 'estimator' | 'users' | 'events'
    >[];
  } & WindowReports)[];
  readonly truth?: readonly (Pick<Estimate, 'model' | 'metric' | 'k' | 'aggregation'> & {
    readonly value: number;
  })[];
  readonly popularity: Snapshot['popularity'];
  readonly propensity: {
    readonly gamma: number;
    readonly gammaStdErr: number;
    readonly source: UsedGammaSource;
    readonly fits: Readonly<Record<string, Pick<GammaFit, 'ols' | 'poisson'>>>;
  };
}

/** As JSON has it, where what is unknown is null. */
type Sent<T> = T extends number
  ? number | null
  : T extends string | null | undefined
    ? T
    : { readonly [Key in keyof T]: Sent<T[Key]> };

/** What a tick's values are read from: a snapshot, or what was sent of it. */
export type KeptSnapshot = Sent<KeptParts>;

/** Where γ came from, by the number that is kept of it; undefined where it is no such number. */
export function gammaSourceOf(kept: number | null | undefined): UsedGammaSource | undefined {
  return kept === null || kept === undefined ? undefined : USED_GAMMA_SOURCES[kept];
}

/** Every number of a tick that is kept, under its series' key. */
export function* tickValues(snapshot: KeptSnapshot, quality: EventQuality): Generator<KeptValue> {
  yield* estimateValues(snapshot);
  for (const window of snapshot.windows) yield* differenceValues(window);
  yield* popularityValues(snapshot);
  yield* propensityValues(snapshot);
  for (const { topic, accepted, late, duplicate, faults, lag } of quality.topics) {
    const faulty = Object.values(faults).reduce((sum, count) => sum + count, 0);
    const counts = { accepted, late, duplicate, faults: faulty, lag };
    for (const [name, value] of Object.entries(counts)) {
      yield [seriesKey('quality', [topic], name), value];
    }
  }
}

function* estimateValues({ windows, truth }: KeptSnapshot): Generator<KeptValue> {
  for (const window of windows) {
    const { name, results, effectiveSampleSizes, feedback, onPolicy } = window;
    for (const row of results) yield* kept(row, name, ['value', 'lower', 'upper']);
    for (const row of feedback?.uncaused?.results ?? []) {
      yield* kept(row, name, ['uncaused', 'uncausedLower', 'uncausedUpper']);
    }
    for (const row of onPolicy?.values ?? []) {
      yield* kept({ ...row, ...SHOWN_LISTS, k: null }, name, ['value', 'lower', 'upper']);
    }
    for (const row of window.values ?? []) yield* kept(row, name, ['value', 'lower', 'upper']);
    for (const row of rowsOf(OUTPUTS, window)) yield* kept(row, name, ['value', 'lower', 'upper']);
    for (const { model, estimator, users, events } of effectiveSampleSizes) {
      yield [seriesKey('samples', [model, estimator, name], 'users'), users];
      yield [seriesKey('samples', [model, estimator, name], 'events'), events];
    }
    // Truth does not depend on the window, but an answer about one window has to hold it.
    for (const { model, metric, k, aggregation, value } of truth ?? []) {
      yield [
        seriesKey('estimates', [model, metric, k, 'truth', aggregation, name], 'value'),
        value,
      ];
    }
  }
}

/** Of rows in the form that leads: in every form they would double what the past takes. */
function* differenceValues(window: KeptSnapshot['windows'][number]): Generator<KeptValue> {
  const { name, differences = [], valueDifferences = [] } = window;
  const isLed = differences.some(({ estimator }) => estimator === LEADING);
  const led = differences.filter(({ estimator }) => estimator === (isLed ? LEADING : UNCORRECTED));
  for (const row of [...led, ...valueDifferences, ...differencesOf(OUTPUTS, window)]) {
    const { model, reference, metric, k, estimator, aggregation } = row;
    const labels = [model, reference, metric, k, estimator, aggregation, name];
    for (const each of ['value', 'lower', 'upper'] as const) {
      yield [seriesKey('differences', labels, each), row[each]];
    }
  }
}

type NamedRow = Record<'model' | 'metric' | 'estimator' | 'aggregation', string> &
  Record<'k' | 'value' | 'lower' | 'upper', number | null>;

/** A row under its labels, by the names that its value and its interval have there. */
function* kept(
  { model, metric, k, estimator, aggregation, value, lower, upper }: NamedRow,
  window: string,
  [ofValue, ofLower, ofUpper]: readonly [string, string, string],
): Generator<KeptValue> {
  const labels = [model, metric, k, estimator, aggregation, window];
  yield [seriesKey('estimates', labels, ofValue), value];
  yield [seriesKey('estimates', labels, ofLower), lower];
  yield [seriesKey('estimates', labels, ofUpper), upper];
}

function* popularityValues({ popularity }: KeptSnapshot): Generator<KeptValue> {
  const all: [stream: string, model: string | null, Sent<Concentration>][] = [
    ['interactions', null, popularity.interactions],
    ...Object.entries(popularity.exposures).map(
      ([model, counts]): [string, string, Sent<Concentration>] => ['exposures', model, counts],
    ),
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
