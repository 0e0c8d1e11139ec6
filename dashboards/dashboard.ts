import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type PanelBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './datasource.js';

/** A choice at the top of a dashboard, filled from the labels of a metric. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** `label_values(metric{…}, label)`. */
  readonly query: string;
  /** Several at once, or all. */
  readonly isMulti?: boolean;
  /** What is chosen at first; the first of the labels where it is not there. */
  readonly first?: string;
}

export interface Section {
  readonly title: string;
  readonly panels: readonly Pick<PanelBuilder, 'build'>[];
}

export interface DashboardShape {
  /** Part of its address, so it stays. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly choices: readonly Choice[];
  readonly sections: readonly Section[];
}

const TAG = 'unskew';

/** Marks on all time axes, as on the page: while a change is shown that may be acted on. */
export const ALARMS_EXPR = 'unskew_drift_alarm == 1';

function alarms(): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name('Alarms')
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor('orange')
    .expr(ALARMS_EXPR)
    .titleFormat('{{series}} has changed')
    .textFormat('{{detector}}')
    .step('60s');
}

/** A dashboard as Grafana reads it. */
export function dashboard(shape: DashboardShape): Dashboard {
  const { uid, title, description, choices, sections } = shape;
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone('utc')
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .annotation(alarms())
    .link(
      new DashboardLinkBuilder('unskew')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(true)
        .keepTime(true)
        .includeVars(true),
    )
    .withVariable(
      new DatasourceVariableBuilder('datasource')
        .label('Prometheus')
        .description('The Prometheus server that scrapes unskew')
        .type('prometheus'),
    );
  for (const choice of choices) builder.withVariable(variable(choice));
  for (const section of sections) {
    builder.withRow(new RowBuilder(section.title));
    for (const panel of section.panels) builder.withPanel(panel as PanelBuilder);
  }
  return builder.build();
}

function variable({ name, label, description, query, isMulti, first }: Choice) {
  const found = new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(DATASOURCE)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalCaseInsensitiveAsc);
  if (isMulti) {
    return found
      .multi(true)
      .includeAll(true)
      .allValue('.*')
      .current({ text: 'All', value: '$__all' });
  }
  return first === undefined ? found : found.current({ text: first, value: first });
}
