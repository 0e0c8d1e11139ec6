import { readdirSync, readFileSync } from 'node:fs';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { DASHBOARDS, dashboardFile } from '../../../dashboards/all.js';
import { ALARMS_EXPR } from '../../../dashboards/dashboard.js';
import { registerConnections } from '../../../src/outputs/prometheus/connection-series.js';
import { ExportSeries } from '../../../src/outputs/prometheus/export-series.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import { registerFileReadings } from '../../../src/outputs/prometheus/file-readings.js';
import { registerHeld } from '../../../src/outputs/prometheus/held-series.js';
import { IdSeries } from '../../../src/outputs/prometheus/id-series.js';
import { intakeSeries } from '../../../src/outputs/prometheus/intake-series.js';
import { registerOutputs } from '../../../src/outputs/prometheus/output-series.js';
import { registerStates } from '../../../src/outputs/prometheus/state-series.js';
import { UNLIMITED } from '../../../src/state/panes/sample-level.js';
import type { Flow } from '../../../src/stream/flow.js';
import { LogContact } from '../../../src/stream/read/log-contact.js';
import { BUILT_IN, readDashboards } from '../../support/dashboards.js';
import { documentedMetrics } from '../../support/documented-metrics.js';
import { faultsOf, rendered, selectorsOf } from '../../support/promql.js';
import { rules } from '../../support/rules.js';

const ROOT = new URL('../../../', import.meta.url);

/** What is looked at of a panel in the JSON. */
interface DrawnPanel {
  readonly type: string;
  readonly title: string;
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
    readonly format?: string;
    readonly instant?: boolean;
  }[];
  readonly fieldConfig: {
    readonly overrides: readonly {
      readonly matcher: { readonly id: string; readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: { fill?: string } }[];
    }[];
  };
  readonly transformations?: readonly {
    readonly id: string;
    readonly options: { readonly renameByName?: Readonly<Record<string, string>> };
  }[];
  readonly options?: { readonly sortBy?: readonly unknown[] };
}

/** Metrics of the exporter, of every part of it that a service may register. */
async function exported(): Promise<{ name: string; type: string }[]> {
  const options = { maxModels: 16, version: '0', topics: ['e'], checkpointAge: () => 1 };
  const exporter = new Exporter(options);
  const idle = { running: null, next: 0, overdue: null, lastMade: null, lastError: null };
  registerFileReadings(exporter.registry);
  new ExportSeries(
    exporter.registry,
    () => idle,
    () => 0,
  );
  intakeSeries(exporter.registry, ['clicks']);
  registerHeld(exporter.registry, () => UNLIMITED);
  new IdSeries(exporter.registry, () => ({ user: 0, item: 0, model: 0 }));
  const topics = { exposures: 'e', interactions: 'i' };
  const pipeline = {
    contact: new LogContact(Date.now, Date.now),
    clockSkewMs: 0,
    checkpointer: undefined,
    sharing: { isMixed: false },
    lostPanes$: NEVER,
  };
  registerStates(exporter.registry, () => []);
  registerOutputs(exporter.registry, () => []);
  registerConnections(exporter.registry, {
    topics,
    isReady: () => true,
    pipeline: pipeline as unknown as Flow,
  });
  const text = await exporter.metrics();
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({
    name: name!,
    type: type!,
  }));
}

/** What may be asked for: a histogram is three metrics. */
async function queryable(): Promise<string[]> {
  return (await exported()).flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
}

/** Beside those: what rules record, what Prometheus says of a scrape, what a store of state adds. */
const OTHERS = [...rules().flatMap(({ record }) => record ?? []), 'up', 'scrape_samples_scraped'];

const queries = readDashboards().flatMap(({ variables, panels }) =>
  panels.flatMap(({ where, queries: asked }) => {
    const values = Object.fromEntries(variables.map(({ name, first }) => [name, first ?? 'x']));
    return asked.map(({ expr }) => ({ where, expr: rendered(expr, { ...values, ...BUILT_IN }) }));
  }),
);
const expressions = [
  ...queries,
  ...rules().map(({ alert, record, expr }) => ({ where: alert ?? record!, expr })),
  { where: 'marks of alarms', expr: ALARMS_EXPR },
];

describe('the committed dashboards', () => {
  it('match their source; npm run dashboards writes them', () => {
    const files = readdirSync(new URL('dashboards/json/', ROOT)).sort();
    expect(files).toEqual(
      Object.keys(DASHBOARDS)
        .map((name) => `${name}.json`)
        .sort(),
    );
    for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
      const committed = readFileSync(new URL(`dashboards/json/${name}.json`, ROOT), 'utf8');
      expect(committed, name).toBe(dashboardFile(dashboard));
    }
  });

  it('give every panel a unit and a description of two sentences or more', () => {
    const panels = readDashboards().flatMap((dashboard) => dashboard.panels);
    expect(panels.length).toBeGreaterThan(40);
    for (const { where, unit, description, queries: asked } of panels) {
      expect(unit, where).toBeTruthy();
      expect(description, where).toMatch(/[.:,?] .+\.$/);
      expect(asked.length, where).toBeGreaterThan(0);
    }
  });

  it('mark alarms and use UTC, like the page', () => {
    for (const { annotations, timezone } of Object.values(DASHBOARDS)) {
      expect(timezone).toBe('utc');
      const marks = annotations?.list?.map(({ expr }) => expr);
      expect(marks).toEqual([ALARMS_EXPR]);
    }
  });

  it('draw limits dotted, uncorrected values dashed and corrected values solid', () => {
    const wrong: string[] = [];
    let styled = 0;
    for (const { panels = [] } of Object.values(DASHBOARDS)) {
      for (const panel of panels as unknown as DrawnPanel[]) {
        if (panel.type !== 'timeseries') continue;
        for (const { refId, expr, legendFormat } of panel.targets) {
          const own = panel.fieldConfig.overrides.find(({ matcher }) => matcher.options === refId);
          const line = own?.properties.find(({ id }) => id === 'custom.lineStyle')?.value.fill;
          const isLimit = /_(lower|upper)\b/.test(expr);
          const isUncorrected = /unskew_estimate\{.*estimator="naive"/.test(expr);
          const expected = isLimit ? 'dot' : isUncorrected ? 'dash' : undefined;
          if (line !== expected) wrong.push(`${panel.title}: ${legendFormat} is ${line}`);
          if (expected !== undefined) styled++;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(styled).toBeGreaterThan(8);
  });

  it('have a leaderboard with a row per model, the best first', () => {
    const panels = DASHBOARDS['overview']!.panels as unknown as DrawnPanel[];
    const board = panels.find(({ title }) => title === 'Leaderboard')!;
    expect(board.type).toBe('table');
    for (const { expr, format, instant } of board.targets) {
      expect(expr).toMatch(/^max by \(model\) /);
      expect({ format, instant }).toEqual({ format: 'table', instant: true });
    }
    const organize = board.transformations!.find(({ id }) => id === 'organize')!.options;
    const names = organize.renameByName!;
    expect(board.targets.map(({ refId }) => names[`Value #${refId}`])).toEqual([
      'Corrected',
      'Lower',
      'Upper',
      'Uncorrected',
      'Share that is popularity',
    ]);
    expect(board.options!.sortBy).toEqual([{ displayName: 'Corrected', desc: true }]);
  });

  it('have panel titles that are unique within a dashboard', () => {
    for (const { panels } of readDashboards()) {
      const titles = panels.map(({ where }) => where);
      expect(new Set(titles).size).toBe(titles.length);
    }
  });
});

describe('every expression of a panel, an alert or a recording', () => {
  it.each(expressions)('is valid PromQL: $where', ({ expr }) => {
    expect(faultsOf(expr)).toEqual([]);
  });

  it('reads metrics that exist', async () => {
    const known = new Set([...(await queryable()), ...OTHERS]);
    for (const { where, expr } of expressions) {
      const selectors = selectorsOf(expr);
      if (!expr.includes('vector(')) expect(selectors.length, where).toBeGreaterThan(0);
      for (const { metric } of selectors) expect(known, `${where}: ${metric}`).toContain(metric);
    }
  });

  it('is rejected by the check if it is not valid PromQL', () => {
    expect(faultsOf('sum by (a (b)')).not.toEqual([]);
    expect(faultsOf('no_such_function(b[5m])')).not.toEqual([]);
    expect(selectorsOf('a{b="c"} / on (d) rate(e[5m])')).toEqual([
      { metric: 'a', labels: ['b'] },
      { metric: 'e', labels: [] },
    ]);
  });
});

it('the table in docs/metrics.md lists each exported metric once, by its full name', async () => {
  const documented = documentedMetrics(readFileSync(new URL('docs/metrics.md', ROOT), 'utf8'));
  const ours = (await exported()).map(({ name }) => name).filter((name) => /^unskew_/.test(name));
  expect(documented.sort()).toEqual(ours.sort());
  // A part of the exporter that is not registered above is noticed by the names in its source.
  const folder = new URL('src/', ROOT);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const source = files
    .filter((name) => /^outputs\/prometheus\/.*\.ts$|^features\/.*\/gauges\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const names = [...source.join('\n').matchAll(/'(unskew_[a-z_]+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !documented.includes(name!))).toEqual([]);
});

it('most exported metrics appear in a panel or a rule', async () => {
  const used = new Set(
    expressions.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric)),
  );
  const ours = (await queryable()).filter((name) => name.startsWith('unskew_'));
  expect(ours.filter((name) => used.has(name)).length).toBeGreaterThan(35);
});
