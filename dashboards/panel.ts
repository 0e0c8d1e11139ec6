import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { DATASOURCE } from './datasource.js';

/** Width of a dashboard, in columns. */
const WIDTH = 24;

export interface Query {
  readonly expr: string;
  /** With labels as `{{model}}`. */
  readonly legend: string;
}

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

type AnyPanel = TimeSeries | Stat | BarGauge;

/** Lines over time. */
export function timeSeries(shape: PanelShape): TimeSeries {
  const legend = new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom);
  return described(new TimeSeries(), shape, 8, WIDTH / 2)
    .legend(legend)
    .lineWidth(2);
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
    .refId(String.fromCharCode('A'.charCodeAt(0) + n))
    .expr(expr)
    .legendFormat(legend);
  return isInstant ? query.instant() : query.range();
}

function thresholds({ warn, bad }: Bounds): ThresholdsConfigBuilder {
  const rising = bad > warn;
  // Colours that stay apart for those who do not tell red from green.
  const [good, middle, worst] = ['blue', 'yellow', 'red'];
  const steps: Threshold[] = rising
    ? [step(null, good), step(warn, middle), step(bad, worst)]
    : [step(null, worst), step(bad, middle), step(warn, good)];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

function step(value: number | null, color: string): Threshold {
  return { value, color };
}
