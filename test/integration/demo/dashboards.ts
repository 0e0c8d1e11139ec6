import { describe, expect, it } from 'vitest';
import { BUILT_IN, type ReadDashboard, readDashboards } from '../../support/dashboards.js';
import type { Prometheus } from '../../support/prometheus.js';
import { rendered, selectorsOf } from '../../support/promql.js';
import { NOT_IN_A_DEMO } from './not-in-a-demo.js';

/** Chooses as Grafana does: all, what is named first, or the first value that there is. */
async function choices(
  { name, variables }: ReadDashboard,
  prometheus: Prometheus,
): Promise<Record<string, string>> {
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

function isNotInADemo(query: string): boolean {
  if (query.includes('vector(0)')) return false;
  return selectorsOf(query).some(({ metric }) => metric in NOT_IN_A_DEMO);
}

/** Every dashboard against the Prometheus that scrapes a demonstration. */
export function dashboardsSuite(prometheus: () => Prometheus): void {
  describe.each(readDashboards())('the dashboard $name on a real Prometheus', (dashboard) => {
    it('has at least one finite value for every query of every panel', async () => {
      const chosen = await choices(dashboard, prometheus());
      const empty: string[] = [];
      for (const { where, queries } of dashboard.panels) {
        for (const { expr, instant } of queries) {
          const asked = rendered(expr, chosen);
          if (isNotInADemo(asked)) continue;
          const found = instant
            ? await prometheus().queryThere(asked)
            : await prometheus().queryRange(asked, 60);
          const numbers = found.flatMap(({ value, values }) => values ?? (value ? [value] : []));
          if (!numbers.some(([, value]) => Number.isFinite(Number(value)))) {
            empty.push(`${where}: ${asked}`);
          }
        }
      }
      expect(empty).toEqual([]);
    });

    it('has no empty panel for any choice of estimator, aggregation or window', async () => {
      const chosen = await choices(dashboard, prometheus());
      const empty: string[] = [];
      for (const variable of dashboard.variables) {
        if (!['estimator', 'aggregation', 'window'].includes(variable.name)) continue;
        const [, selector] = /^label_values\((.+), \w+\)$/.exec(variable.query)!;
        const among = rendered(selector!, chosen);
        for (const value of await prometheus().labelValues(among, variable.name)) {
          for (const { where, queries } of dashboard.panels) {
            for (const { expr } of queries.filter((query) =>
              query.expr.includes(`$${variable.name}`),
            )) {
              const asked = rendered(expr, { ...chosen, [variable.name]: value });
              if (isNotInADemo(asked)) continue;
              if ((await prometheus().queryThere(asked)).length === 0)
                empty.push(`${where}: ${asked}`);
            }
          }
        }
      }
      expect(empty).toEqual([]);
    });
  });
}
