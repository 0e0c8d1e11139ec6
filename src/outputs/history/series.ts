/** Kinds of stored series, with their labels and values. */
export const SERIES_KINDS = {
  estimates: {
    labels: ['model', 'metric', 'k', 'estimator', 'aggregation', 'window'],
    /** `uncaused`: over organic interactions, with its interval. */
    values: ['value', 'lower', 'upper', 'uncaused', 'uncausedLower', 'uncausedUpper'],
  },
  /**
   * Differences between a model and the reference. Metrics of rows are included only in the leading
   * form.
   */
  differences: {
    labels: ['model', 'reference', 'metric', 'k', 'estimator', 'aggregation', 'window'],
    values: ['value', 'lower', 'upper'],
  },
  popularity: {
    labels: ['stream', 'model'],
    values: ['gini', 'topShare', 'coverage', 'averagePopularity'],
  },
  /** `source` exists only for `used`: its index in `USED_GAMMA_SOURCES`. */
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

/** One value of one series; its key identifies it in memory and in files. */
export interface SeriesName {
  readonly kind: SeriesKind;
  readonly labels: Readonly<Record<string, LabelValue>>;
  readonly value: string;
}

/** A value under its series' key; null: unknown. */
export type KeptValue = readonly [key: string, value: number | null];

/** Key of a series: JSON array of its kind, its labels in order and its value. */
export function seriesKey(kind: SeriesKind, labels: readonly LabelValue[], value: string): string {
  return JSON.stringify([kind, ...labels, value]);
}

/** Parse a key. @returns undefined if this version does not know its kind. */
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
