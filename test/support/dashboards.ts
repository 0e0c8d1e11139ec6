import { DASHBOARDS } from '../../dashboards/all.js';

export interface PanelQuery {
  readonly expr: string;
  readonly instant: boolean;
}

export interface ReadPanel {
  readonly where: string;
  readonly description: string | undefined;
  readonly unit: string | undefined;
  readonly queries: readonly PanelQuery[];
}

export interface ReadVariable {
  readonly name: string;
  readonly query: string;
  readonly allValue: string | undefined;
  readonly first: string | undefined;
}

export interface ReadDashboard {
  readonly name: string;
  readonly variables: readonly ReadVariable[];
  readonly panels: readonly ReadPanel[];
}

interface PanelModel {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly fieldConfig?: { defaults: { unit?: string } };
  readonly targets?: { expr: string; instant: boolean }[];
}

interface VariableModel {
  readonly name: string;
  readonly type: string;
  readonly query: string;
  readonly allValue?: string;
  readonly current?: { value: string };
}

/** What the dashboards' JSON asks of Prometheus. */
export function readDashboards(): ReadDashboard[] {
  return Object.entries(DASHBOARDS).map(([name, dashboard]) => {
    const panels = (dashboard.panels ?? []) as unknown as PanelModel[];
    const variables = (dashboard.templating?.list ?? []) as unknown as VariableModel[];
    return {
      name,
      variables: variables
        .filter(({ type }) => type === 'query')
        .map(({ name: own, query, allValue, current }) => ({
          name: own,
          query,
          allValue,
          first: allValue === undefined ? current?.value : undefined,
        })),
      panels: panels
        .filter(({ type }) => type !== 'row')
        .map(({ title, description, fieldConfig, targets = [] }) => ({
          where: `${name}: ${title}`,
          description,
          unit: fieldConfig?.defaults.unit,
          queries: targets.map(({ expr, instant }) => ({ expr, instant })),
        })),
    };
  });
}

/** What Grafana itself puts in, for a scrape every second. */
export const BUILT_IN = { __rate_interval: '30s' };
