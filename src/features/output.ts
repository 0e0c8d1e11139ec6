import type { LeadingNumbers } from '../rows/leading-numbers.js';
import type { Difference, Row, ShownDifference, ShownRow } from '../rows/row.js';
import type { Section } from '../rows/table.js';
import type { Interner } from '../state/ids/interner.js';
import type {
  FeatureName,
  FeatureOptions,
  ReportOf,
  WindowReports,
} from '../stream/feature-types.js';
import type { KeptRows } from '../stream/tick/kept-rows.js';
import type { Snapshot, WindowSnapshot } from '../stream/tick/snapshot.js';

type Labels = Readonly<Record<string, string | number>>;

/** A sample of a gauge: its labels and its value. */
export type Sample = readonly [labels: Labels, value: number];

/** A Prometheus gauge computed from the newest snapshot. */
export interface SnapshotSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  samples(snapshot: Snapshot): Iterable<Sample>;
}

/**
 * How the report of a feature is shown: its rows, sections and JSON. All functions are pure, so
 * that they also run in the browser.
 */
export interface FeatureOutput<Name extends FeatureName = FeatureName> {
  readonly name: Name;
  /**
   * The feature's result rows. All outputs show them in the same way as the rows of other features.
   */
  rows?(report: Sent<ReportOf<Name>>): readonly ShownRow[];
  /** Differences between models, shown like those of other families. */
  differences?(report: Sent<ReportOf<Name>>): readonly ShownDifference[];
  /**
   * Rows and differences that only result tables contain, since they are too many for other
   * outputs.
   */
  tabled?(report: ReportOf<Name>, window: WindowSnapshot): readonly (ShownRow | ShownDifference)[];
  /**
   * Section of the report; null if there is nothing to show.
   *
   * @param shows which rows to show. @param window all features' reports of the window.
   */
  section?(
    report: Sent<ReportOf<Name>>,
    shows?: (row: ShownRow) => boolean,
    window?: Sent<WindowReports>,
  ): Section | null;
  /**
   * Whether the first page of the report also shows the first table of this section. That page
   * shows where models win and lose.
   */
  readonly isOnSheet?: boolean;
  /**
   * The feature's numbers as the main result of a window, which is shown first; undefined if they
   * never are.
   */
  readonly leading?: {
    readonly as: LeadingNumbers;
    /** Title of the chart that compares models by these numbers. */
    readonly heading: string;
    /** The rows to compare, one per model. */
    rows(report: ReportOf<Name>): readonly FeatureStanding[];
  };
  /**
   * Names of the report's other lists, beside result rows, that an API query filters too, by model,
   * metric and so on.
   */
  readonly narrowed?: readonly string[];
  /**
   * Set if the rows are shown whatever metric a query requests. The query then filters them by this
   * label only.
   */
  readonly narrowedBy?: 'model';
  /**
   * Convert the report to version 1 of the JSON. Features added after version 1 do not convert
   * their rows.
   */
  toV1?(report: ReportOf<Name>): object;
  /** Convert the report back from version 1 of the JSON. */
  fromV1?(report: never): Sent<ReportOf<Name>>;
  /**
   * Field of `evaluate --json` that contains the report, as in version 1; by default a field named
   * after the feature.
   */
  readonly evaluated?: 'results' | 'differences' | 'feedback';
  /** The report in `evaluate --json`, if it differs from the API. */
  toEvaluation?(report: ReportOf<Name>, window: WindowSnapshot): object;
}

/** Values of a row for a chart. */
export type FeatureStanding = Pick<Row, 'model' | 'value' | 'lower' | 'upper'>;

/** A question that `evaluate` answers in addition to its estimates, if a flag is set. */
export interface FeatureQuestion<Answer extends object = object> {
  /** Name of the flag, and of the answer in JSON. */
  readonly name: string;
  readonly help: string;
  answer(
    source: {
      readonly rows: KeptRows;
      readonly items: Interner;
    },
    snapshot: Snapshot,
    options: FeatureOptions,
  ): Answer;
  section(answer: Answer): Section;
}

/** The type of a value after it was sent as JSON: numbers may be null. */
export type Sent<T> = T extends number
  ? number | null
  : T extends string | boolean | null | undefined
    ? T
    : T extends Difference
      ? ShownDifference
      : T extends Row
        ? ShownRow
        : { readonly [Key in keyof T]: Sent<T[Key]> };

type HasReports = { readonly [Name in FeatureName]?: unknown };

/** Result rows of all features for a window, in memory or from JSON. */
export function rowsOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): readonly ShownRow[] {
  return reportedBy(features, window, (own, report) => own.rows?.(report) ?? []).flat();
}

export function differencesOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): readonly ShownDifference[] {
  return reportedBy(features, window, (own, report) => own.differences?.(report) ?? []).flat();
}

/** Rows of all features that only result tables contain. */
export function tabledOf(
  features: readonly FeatureOutput[],
  window: WindowSnapshot,
): readonly (ShownRow | ShownDifference)[] {
  return reportedBy(features, window, (own, report) => own.tabled?.(report, window) ?? []).flat();
}

function reportedBy<T>(
  features: readonly FeatureOutput[],
  window: HasReports,
  of: (own: FeatureOutput, report: never) => T,
): T[] {
  return features.flatMap((own) => {
    const report = window[own.name];
    return report === undefined ? [] : [of(own, report as never)];
  });
}

/** The reports of features in a window, by name. */
export function reportsOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): { readonly [Name in FeatureName]?: ReportOf<Name> } {
  const present = features.filter(({ name }) => window[name] !== undefined);
  return Object.fromEntries(present.map(({ name }) => [name, window[name]]));
}

export function sectionsOf(features: readonly FeatureOutput[], window: HasReports): Section[] {
  return reportedBy(
    features,
    window,
    (own, report) => own.section?.(report, undefined, window as Sent<WindowReports>) ?? [],
  ).flat();
}

/** Sections of features on the report's first page. */
export function sheetSectionsOf(
  features: readonly FeatureOutput[],
  window: HasReports,
  shows: (row: ShownRow) => boolean,
): Section[] {
  const own = features.filter(({ isOnSheet }) => isOnSheet === true);
  return reportedBy(own, window, ({ section }, report) => section?.(report, shows) ?? []).flat();
}

/** Heading and rows of the feature that is the main result of a window; empty if none is. */
export function leadingOf(features: readonly FeatureOutput[], window: WindowReports) {
  const own = features.filter(
    ({ leading }) => leading !== undefined && leading.as === window.leads,
  );
  return reportedBy(own, window, ({ leading }, report) => ({
    heading: leading!.heading,
    rows: leading!.rows(report),
  }));
}

/**
 * Features' reports of a window for `evaluate --json`, by the field that contains them.
 *
 * @param sent the reports in version 1 of the JSON.
 */
export function evaluatedReports(
  features: readonly FeatureOutput[],
  window: WindowSnapshot,
  sent: HasReports,
): Readonly<Record<'own' | 'feedback', object>> &
  Readonly<Record<'results' | 'differences', readonly object[]>> {
  const at = (place: FeatureOutput['evaluated']) =>
    reportedBy(
      features.filter(({ evaluated }) => evaluated === place),
      window,
      ({ name, toEvaluation }, report) =>
        [name, toEvaluation ? toEvaluation(report, window) : (sent[name] as object)] as const,
    );
  const listed = (place: 'results' | 'differences') =>
    at(place).flatMap(([, rows]) => rows as readonly object[]);
  return {
    own: Object.fromEntries(at(undefined)),
    feedback: Object.fromEntries(at('feedback')),
    results: listed('results'),
    differences: listed('differences'),
  };
}

/** Convert features' reports from version 1 of the JSON back to rows. */
export function reportsFromV1(features: readonly FeatureOutput[], window: HasReports): HasReports {
  const present = features.filter(({ name }) => window[name] !== undefined);
  return Object.fromEntries(
    present.map((own) => [own.name, own.fromV1?.(window[own.name] as never) ?? window[own.name]]),
  );
}

/** Features' reports with only the rows that match a query. */
export function narrowedReports(
  features: readonly FeatureOutput[],
  window: HasReports,
  agrees: (row: object) => boolean,
): { readonly [Name in FeatureName]?: ReportOf<Name> } {
  const narrowed = features.flatMap(
    ({ name, narrowed: lists = [], narrowedBy }): (readonly [string, object])[] => {
      const report = window[name] as Readonly<Record<string, object[]>> | object[] | undefined;
      if (report === undefined) return [];
      const isShown = (row: object) =>
        agrees(narrowedBy === undefined ? row : { model: (row as Row).model });
      if (Array.isArray(report)) return [[name, report.filter(isShown)] as const];
      const rows = Object.keys(report).filter((list) => isOfRows(report[list]));
      const kept = [...lists, ...rows].map((list) => [list, report[list].filter(isShown)] as const);
      return [
        [
          name,
          {
            ...report,
            ...Object.fromEntries(kept),
          },
        ] as const,
      ];
    },
  );
  return Object.fromEntries(narrowed);
}

function isOfRows(list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => typeof each === 'object' && 'family' in each);
}
