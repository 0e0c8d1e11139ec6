import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN, type ReadDashboard, readDashboards } from '../support/dashboards.js';
import { eventually, RunningService } from '../support/program.js';
import { Prometheus } from '../support/prometheus.js';
import { rendered, selectorsOf } from '../support/promql.js';
import { ruleFiles, rules } from '../support/rules.js';

/** What a demonstration has no values of, and why. */
const NOT_IN_A_DEMO: Readonly<Record<string, string>> = {
  unskew_checkpoint_age_seconds: 'a demonstration keeps no checkpoints',
  unskew_gap_records_total: 'its first series comes with the first record that is lost',
  unskew_export_overdue_seconds: 'a demonstration makes no sets',
  unskew_export_runs_total: 'a demonstration makes no sets',
};

let demo: RunningService;
let prometheus: Prometheus;

beforeAll(async () => {
  demo = await RunningService.start(['demo', '--port', '0']);
  const target = new URL(demo.address).host;
  prometheus = await Prometheus.start({ target, ruleFiles: ruleFiles() });
  // All that needs more than one scrape, or a pane of the detectors, is there.
  const last = [
    'unskew_drift_score',
    'unskew:tick_duration_seconds:p99_10m',
    'unskew:events:rate5m',
  ];
  await eventually(
    'a value of each metric that comes last',
    () =>
      Promise.all(
        last.map((metric) =>
          prometheus.query(`count(${metric} > -1)`).then(
            (found) => found.length,
            () => 0,
          ),
        ),
      ),
    (counts) => counts.every((count) => count > 0),
    90_000,
  );
});
afterAll(async () => {
  await prometheus?.stop();
  await demo?.stop();
});

/** Chooses as Grafana does: all, what is named first, or the first value that there is. */
async function choices({ name, variables }: ReadDashboard): Promise<Record<string, string>> {
  const chosen: Record<string, string> = { ...BUILT_IN };
  for (const variable of variables) {
    const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(variable.query)!;
    const values = await prometheus.labelValues(rendered(selector, chosen), label);
    expect(values.length, `${name}: $${variable.name}`).toBeGreaterThan(0);
    const { first, allValue } = variable;
    if (first !== undefined) expect(values, `${name}: $${variable.name}`).toContain(first);
    chosen[variable.name] = allValue ?? first ?? values[0];
  }
  return chosen;
}

describe.each(readDashboards())('the dashboard $name on a real Prometheus', (dashboard) => {
  it('has a value in every query of every panel', async () => {
    const chosen = await choices(dashboard);
    const empty: string[] = [];
    for (const { where, queries } of dashboard.panels) {
      for (const { expr, instant } of queries) {
        const asked = rendered(expr, chosen);
        if (
          selectorsOf(asked).some(
            ({ metric }) => metric in NOT_IN_A_DEMO && !asked.includes('vector(0)'),
          )
        )
          continue;
        const found = instant
          ? await prometheus.query(asked)
          : await prometheus.queryRange(asked, 60);
        const numbers = found.flatMap(({ value, values }) => values ?? (value ? [value] : []));
        if (!numbers.some(([, value]) => Number.isFinite(Number(value)))) {
          empty.push(`${where}: ${asked}`);
        }
      }
    }
    expect(empty).toEqual([]);
  });

  it('has no panel that stays empty for any other choice of metric, estimator and window', async () => {
    const chosen = await choices(dashboard);
    const empty: string[] = [];
    for (const variable of dashboard.variables) {
      if (!['estimator', 'aggregation', 'window'].includes(variable.name)) continue;
      for (const value of await prometheus.labelValues('unskew_estimate', variable.name)) {
        for (const { where, queries } of dashboard.panels) {
          for (const { expr } of queries.filter((query) =>
            query.expr.includes(`$${variable.name}`),
          )) {
            const asked = rendered(expr, { ...chosen, [variable.name]: value });
            if ((await prometheus.query(asked)).length === 0) empty.push(`${where}: ${asked}`);
          }
        }
      }
    }
    expect(empty).toEqual([]);
  });
});

describe('the rules on a real Prometheus', () => {
  it('are evaluated without a fault', async () => {
    const found = await prometheus.rules();
    expect(found).toHaveLength(rules().length);
    for (const { name, health, lastError } of found) {
      expect(health, `${name}: ${lastError}`).toBe('ok');
    }
  });

  it('record something, each of them', async () => {
    for (const { record } of rules()) {
      if (record === undefined) continue;
      expect((await prometheus.query(record)).length, record).toBeGreaterThan(0);
    }
  });

  it('alert on metrics that are there, by labels that these have', async () => {
    for (const { alert, expr } of rules()) {
      if (alert === undefined) continue;
      for (const { metric, labels } of selectorsOf(expr)) {
        if (metric in NOT_IN_A_DEMO) continue;
        const found = await prometheus.query(metric);
        expect(found.length, `${alert}: ${metric}`).toBeGreaterThan(0);
        for (const label of labels) {
          const carriers = found.filter((series) => label in series.metric);
          expect(carriers.length, `${alert}: ${metric}{${label}}`).toBeGreaterThan(0);
        }
      }
    }
  });

  it('are silent on a demonstration that is well', async () => {
    const firing = await prometheus.query('ALERTS{alertstate="firing",concerns="service"}');
    expect(firing).toEqual([]);
  });
});
