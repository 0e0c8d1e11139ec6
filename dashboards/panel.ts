import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  TableSortByFieldStateBuilder,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type DynamicConfigValue,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as Table } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { DATASOURCE } from './datasource.js';

/** Width of a dashboard, in columns. */
const WIDTH = 24;

export interface Query {
  readonly expr: string;
  /** With labels as `{{model}}`; of a table, the heading of its column. */
  readonly legend: string;
  /** How its lines are drawn: by default as what is corrected, solid and thick. */
  readonly style?: LineStyle;
}

/** What is not corrected, and the limits of an interval, never look like a corrected value. */
type LineStyle = 'uncorrected' | 'limit';

const LINE_STYLES: Readonly<Record<LineStyle, readonly DynamicConfigValue[]>> = {
  uncorrected: [
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 6] } },
    { id: 'custom.lineWidth', value: 1 },
  ],
  limit: [
    { id: 'custom.lineStyle', value: { fill: 'dot', dash: [1, 5] } },
    { id: 'custom.lineWidth', value: 1 },
  ],
};

/** From this value on it is worth a look, or wrong; below, or above, all is well. */
export interface Bounds {
  readonly warn: number;
  readonly bad: number;
}

export interface PanelShape {
  readonly title: string;
  /** What it shows, and what to do about it. */
  readonly description: string;
  /** Grafana's name of the unit. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Of 24 columns. */
  readonly span?: number;
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly bounds?: Bounds;
  /** Shown where there is no value at all. */
  readonly noValue?: string;
}

type AnyPanel = TimeSeries | Stat | BarGauge | Table;

/** Lines over time. */
export function timeSeries(shape: PanelShape): TimeSeries {
  const legend = new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom);
  const panel = described(new TimeSeries(), shape, 8, WIDTH / 2)
    .legend(legend)
    .lineWidth(2);
  shape.queries.forEach(({ style }, n) => {
    if (style !== undefined) panel.overrideByQuery(refIdOf(n), [...LINE_STYLES[style]]);
  });
  return panel;
}

interface TableShape extends PanelShape {
  /** Labels that are columns, before the values. */
  readonly labels: readonly string[];
  /** Heading of the column that orders the rows, the largest first. */
  readonly sortedBy?: string;
  /** Units of columns that have another than the rest, by heading. */
  readonly units?: Readonly<Record<string, string>>;
  /** Whether the values say nothing: of a metric that is always 1. */
  readonly isOfLabels?: boolean;
}

/** A row for each set of labels, the newest values beside each other, a column for each query. */
export function table(shape: TableShape): Table {
  const { labels, queries, sortedBy, units = {}, isOfLabels = false } = shape;
  const value = (n: number) => (queries.length === 1 ? 'Value' : `Value #${refIdOf(n)}`);
  const columns = [...labels, ...queries.map((_, n) => value(n))];
  const panel = described(new Table(), shape, 8, WIDTH / 2, true)
    .targets(queries.map((query, n) => target(query, n, true).format(PromQueryFormat.Table)))
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: {
          Time: true,
          ...(isOfLabels && Object.fromEntries(queries.map((_, n) => [value(n), true]))),
        },
        indexByName: Object.fromEntries(columns.map((name, at) => [name, at])),
        renameByName: Object.fromEntries(queries.map(({ legend }, n) => [value(n), legend])),
      },
    });
  for (const [heading, unit] of Object.entries(units)) {
    panel.overrideByName(heading, [{ id: 'unit', value: unit }]);
  }
  if (sortedBy === undefined) return panel;
  return panel.sortBy([new TableSortByFieldStateBuilder().displayName(sortedBy).desc(true)]);
}

/** One number, the newest. */
export function stat(shape: PanelShape): Stat {
  return described(new Stat(), shape, 4, WIDTH / 6).reduceOptions(newest());
}

/** A bar for each series, the newest value. */
export function bars(shape: PanelShape): BarGauge {
  return described(new BarGauge(), shape, 8, WIDTH / 2, true).reduceOptions(newest());
}

function newest(): ReduceDataOptionsBuilder {
  return new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false);
}

function described<P extends AnyPanel>(
  panel: P,
  shape: PanelShape,
  height: number,
  span: number,
  isInstant = false,
): P {
  const { title, description, unit, queries, min, max, decimals, bounds, noValue } = shape;
  panel
    .title(title)
    .description(description)
    .unit(unit)
    .datasource(DATASOURCE)
    .height(height)
    .span(shape.span ?? span)
    .targets(queries.map((query, n) => target(query, n, isInstant)));
  if (min !== undefined) panel.min(min);
  if (max !== undefined) panel.max(max);
  if (decimals !== undefined) panel.decimals(decimals);
  if (bounds !== undefined) panel.thresholds(thresholds(bounds));
  if (noValue !== undefined) panel.noValue(noValue);
  return panel;
}

function target({ expr, legend }: Query, n: number, isInstant: boolean): DataqueryBuilder {
  const query = new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(refIdOf(n))
    .expr(expr)
    .legendFormat(legend);
  return isInstant ? query.instant() : query.range();
}

function refIdOf(n: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + n);
}

function thresholds({ warn, bad }: Bounds): ThresholdsConfigBuilder {
  const rising = bad > warn;
  // Colours that stay apart for those who do not tell red from green.
  const good = 'blue';
  const middle = 'yellow';
  const worst = 'red';
  const steps: Threshold[] = rising
    ? [step(null, good), step(warn, middle), step(bad, worst)]
    : [step(null, worst), step(bad, middle), step(warn, good)];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

function step(value: number | null, color: string): Threshold {
  return { value, color };
}
