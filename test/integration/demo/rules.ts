import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/program.js';
import type { Prometheus } from '../../support/prometheus.js';
import { selectorsOf } from '../../support/promql.js';
import { rules } from '../../support/rules.js';
import { NOT_IN_A_DEMO } from './not-in-a-demo.js';

/** Every rule against the Prometheus that scrapes a demonstration. */
export function rulesSuite(prometheus: () => Prometheus): void {
  describe('the rules on a real Prometheus', () => {
    it('are evaluated without errors', async () => {
      const found = await prometheus().rules();
      expect(found).toHaveLength(rules().length);
      for (const { name, health, lastError } of found) {
        expect(health, `${name}: ${lastError}`).toBe('ok');
      }
    });

    it('each record at least one series', async () => {
      for (const { record } of rules()) {
        if (record === undefined) continue;
        expect((await prometheus().queryThere(record)).length, record).toBeGreaterThan(0);
      }
    });

    it('alert only on metrics and labels that exist', async () => {
      for (const { alert, expr } of rules()) {
        if (alert === undefined) continue;
        for (const { metric, labels } of selectorsOf(expr)) {
          if (metric in NOT_IN_A_DEMO) continue;
          const found = await prometheus().queryThere(metric);
          expect(found.length, `${alert}: ${metric}`).toBeGreaterThan(0);
          for (const label of labels) {
            const carriers = found.filter((series) => label in series.metric);
            expect(carriers.length, `${alert}: ${metric}{${label}}`).toBeGreaterThan(0);
          }
        }
      }
    });

    it('fire no service alert on a healthy demo', async () => {
      const firing = await prometheus().query('ALERTS{alertstate="firing",concerns="service"}');
      expect(firing).toEqual([]);
    });

    it('fire nothing but drift on it: every pending alert clears first', async () => {
      // Ticks of catching up, slow on a busy machine, stay in the ten minutes that UnskewTickSlow
      // looks back: that it does not fire is looked at below.
      const pending = () =>
        prometheus().query('ALERTS{alertstate="pending",alertname!="UnskewTickSlow"}');
      await eventually('every pending alert to pass', pending, ({ length }) => length === 0);
      // One without a `for` is never pending: a detector may find a change by chance.
      const fired = 'ALERTS{alertstate="firing",alertname!="UnskewDrift"}';
      expect(await prometheus().query(`count_over_time(${fired}[1h])`)).toEqual([]);
    });
  });
}
