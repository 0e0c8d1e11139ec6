import type { Difference, Row, Wire } from '../rows/row.js';
import type { Section } from '../rows/table.js';
import type { FeatureName, ReportOf } from '../stream/feature-types.js';
import type { Snapshot } from '../stream/snapshot.js';

type Labels = Readonly<Record<string, string | number>>;

/** One gauge that is read off the newest snapshot. */
export interface SnapshotSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  samples(snapshot: Snapshot): Iterable<readonly [labels: Labels, value: number]>;
}

/** What is made of a feature's report; pure, so that the browser can have it too. */
export interface FeatureOutput<Name extends FeatureName = FeatureName> {
  readonly name: Name;
  /** Its rows, which all outputs show like those of any family. */
  rows?(report: Sent<ReportOf<Name>>): readonly Wire<Row>[];
  differences?(report: Sent<ReportOf<Name>>): readonly Wire<Difference>[];
  section?(report: Sent<ReportOf<Name>>, shows?: (row: Wire<Row>) => boolean): Section;
  /** Lists of the report that an API query by model, metric, … narrows, beside those of rows. */
  readonly narrowed?: readonly string[];
  /** The report as version 1 of the JSON has it; a feature that is newer has its rows as they are. */
  toV1?(report: ReportOf<Name>): object;
  fromV1?(report: never): Sent<ReportOf<Name>>;
}

/** As JSON has it. */
export type Sent<T> = T extends number
  ? number | null
  : T extends string | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Sent<T[Key]> };

type HasReports = { readonly [Name in FeatureName]?: unknown };

/** Rows of all features of a window, or of what was sent of it. */
export function rowsOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): readonly Wire<Row>[] {
  return reportedBy(features, window, (own, report) => own.rows?.(report) ?? []).flat();
}

export function differencesOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): readonly Wire<Difference>[] {
  return reportedBy(features, window, (own, report) => own.differences?.(report) ?? []).flat();
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

/** The reports alone, by name. */
export function reportsOf(
  features: readonly Pick<FeatureOutput, 'name'>[],
  window: HasReports,
): { readonly [Name in FeatureName]?: ReportOf<Name> } {
  const present = features.filter(({ name }) => window[name] !== undefined);
  return Object.fromEntries(present.map(({ name }) => [name, window[name]]));
}

export function sectionsOf(features: readonly FeatureOutput[], window: HasReports): Section[] {
  return reportedBy(features, window, (own, report) => own.section?.(report) ?? []).flat();
}

/** The reports of what was sent of a window, with rows in place of what version 1 has. */
export function reportsFromV1(features: readonly FeatureOutput[], window: HasReports): HasReports {
  const present = features.filter(({ name }) => window[name] !== undefined);
  return Object.fromEntries(
    present.map((own) => [own.name, own.fromV1?.(window[own.name] as never) ?? window[own.name]]),
  );
}

/** The reports with the rows that agree with a query. */
export function narrowedReports(
  features: readonly FeatureOutput[],
  window: HasReports,
  agrees: (row: object) => boolean,
): { readonly [Name in FeatureName]?: ReportOf<Name> } {
  const narrowed = features.flatMap(({ name, narrowed: lists = [] }) => {
    const report = window[name] as Readonly<Record<string, object[]>> | undefined;
    if (report === undefined) return [];
    const rows = Object.keys(report).filter((list) => isOfRows(report[list]));
    const kept = [...lists, ...rows].map((list) => [list, report[list].filter(agrees)] as const);
    return [[name, { ...report, ...Object.fromEntries(kept) }] as const];
  });
  return Object.fromEntries(narrowed);
}

function isOfRows(list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => typeof each === 'object' && 'family' in each);
}
