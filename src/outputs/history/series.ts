/** Kinds of series in the history, with the names of their labels and values. */
export const SERIES_KINDS = {
  estimates: {
    labels: ['model', 'metric', 'k', 'estimator', 'aggregation', 'window'],
    /** `uncaused…` are the estimate over organic interactions and its interval. */
    values: ['value', 'lower', 'upper', 'uncaused', 'uncausedLower', 'uncausedUpper'],
  },
  /**
   * Differences between a model and the reference. For the estimates of list metrics, only those by
   * the leading estimator are stored.
   */
  differences: {
    labels: ['model', 'reference', 'metric', 'k', 'estimator', 'aggregation', 'window'],
    values: ['value', 'lower', 'upper'],
  },
  popularity: {
    labels: ['stream', 'model'],
    values: ['gini', 'topShare', 'coverage', 'averagePopularity'],
  },
  /**
   * The γ in use (`model` is `*`, `fit` is `used`), and the fits of γ by model. Only the former has
   * the value `source`, an index into `USED_GAMMA_SOURCES`.
   */
  propensity: {
    labels: ['model', 'fit'],
    values: ['gamma', 'stdErr', 'source'],
  },
  samples: {
    labels: ['model', 'estimator', 'window'],
    values: ['users', 'events'],
  },
  quality: {
    labels: ['topic'],
    values: ['accepted', 'late', 'duplicate', 'faults', 'lag'],
  },
} as const;

export type SeriesKind = keyof typeof SERIES_KINDS;

export type LabelValue = string | number | null;

/**
 * Name of one stored value. Kind and labels identify the series; `value` names one of the series'
 * values.
 */
export interface SeriesName {
  readonly kind: SeriesKind;
  readonly labels: Readonly<Record<string, LabelValue>>;
  readonly value: string;
}

/** A value with its key (see `seriesKey`); null if the value is unknown. */
export type KeptValue = readonly [key: string, value: number | null];

/**
 * Build the key of a stored value: a JSON array of the kind, the labels in order, and the name of
 * the value.
 */
export function seriesKey(kind: SeriesKind, labels: readonly LabelValue[], value: string): string {
  return JSON.stringify([kind, ...labels, value]);
}

/** Parse a key made by `seriesKey`. @returns undefined if this version does not know its kind. */
export function parseSeriesKey(key: string): SeriesName | undefined {
  const parts = JSON.parse(key) as LabelValue[];
  const kind = parts[0] as SeriesKind;
  if (!Object.hasOwn(SERIES_KINDS, kind)) return undefined;
  const names = SERIES_KINDS[kind].labels;
  if (parts.length !== names.length + 2) return undefined;
  const labels = Object.fromEntries(names.map((name, index) => [name, parts[index + 1]]));
  return {
    kind,
    labels,
    value: String(parts.at(-1)),
  };
}
