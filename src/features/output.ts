import type { Finding, FindingCode } from '../findings/finding.js';
import type { FeatureName, ReportOf } from '../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../stream/snapshot.js';

/** What is unknown is NaN; in JSON, and so in the browser, null. */
type Maybe = number | null;

/** One number with its interval, whatever feature it is of. */
export interface Row {
  readonly model: string;
  readonly metric: string;
  readonly k: number | null;
  readonly estimator: string;
  readonly aggregation: string;
  readonly value: Maybe;
  readonly stdErr: Maybe;
  readonly lower: Maybe;
  readonly upper: Maybe;
  /** What it rests on: rows, pairs or lists. */
  readonly events?: number;
}

/** The same of a model minus the reference model. */
export interface DifferenceRow extends Row {
  readonly reference: string;
}

type Labels = Readonly<Record<string, string | number>>;

/** One gauge that is read off the newest snapshot. */
export interface SnapshotSeries {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  samples(snapshot: Snapshot): Iterable<readonly [labels: Labels, value: number]>;
}

/** A cell is text; one of a heading may be the name of a model, which comes from events. */
export interface Table {
  readonly name: string;
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** What a feature says of a window, for the report, the command line and the page alike. */
export interface Section {
  readonly name: string;
  readonly title: string;
  readonly lead: string;
  readonly notes: readonly string[];
  readonly blocks: readonly {
    readonly title?: string;
    readonly lead?: string;
    readonly table: Table;
    /** Drawn by what has a plot of that name; a terminal has none. */
    readonly plot?: string;
  }[];
}

/** What is made of a feature's report; pure, so that the browser can have it too. */
export interface FeatureOutput<Name extends FeatureName = FeatureName> {
  readonly name: Name;
  rows(report: Sent<ReportOf<Name>>): readonly Row[];
  differences(report: Sent<ReportOf<Name>>): readonly DifferenceRow[];
  section(report: Sent<ReportOf<Name>>, shows?: (row: Row) => boolean): Section;
  /** Lists of the report that an API query by model, metric, … narrows. */
  readonly narrowed: readonly (keyof ReportOf<Name> & string)[];
  readonly gauges: readonly SnapshotSeries[];
  findings(window: WindowSnapshot): readonly Finding[];
  /** Findings that are about this feature's numbers alone. */
  readonly codes: ReadonlySet<FindingCode>;
}

/** As JSON has it. */
export type Sent<T> = T extends number
  ? number | null
  : T extends string | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Sent<T[Key]> };

type HasReports = { readonly [Name in FeatureName]?: unknown };

/** Rows of all features of a window, or of what was sent of it. */
export function rowsOf(features: readonly FeatureOutput[], window: HasReports): readonly Row[] {
  return features.flatMap((own) => {
    const report = window[own.name];
    return report === undefined ? [] : own.rows(report as never);
  });
}

export function differencesOf(
  features: readonly FeatureOutput[],
  window: HasReports,
): readonly DifferenceRow[] {
  return features.flatMap((own) => {
    const report = window[own.name];
    return report === undefined ? [] : own.differences(report as never);
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
  return features.flatMap((own) => {
    const report = window[own.name];
    return report === undefined ? [] : [own.section(report as never)];
  });
}

/** The reports with the rows that agree with a query. */
export function narrowedReports(
  features: readonly FeatureOutput[],
  window: HasReports,
  agrees: (row: object) => boolean,
): { readonly [Name in FeatureName]?: ReportOf<Name> } {
  const narrowed = features.flatMap(({ name, narrowed: lists }) => {
    const report = window[name] as Readonly<Record<string, object[]>> | undefined;
    if (report === undefined) return [];
    const kept = lists.map((list) => [list, report[list].filter(agrees)] as const);
    return [[name, { ...report, ...Object.fromEntries(kept) }] as const];
  });
  return Object.fromEntries(narrowed);
}

/** As it is in memory, where what is unknown is NaN; a cut-off may be none in either. */
export type Given<T> = [T] extends [null]
  ? null
  : [T] extends [number | null | undefined]
    ? number
    : T extends (infer Item)[]
      ? readonly Given<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Key extends 'k' ? T[Key] : Given<T[Key]> }
        : T;
