import { expect, it } from 'vitest';
import { eventually, type RunningService } from '../../support/program.js';
import type { Prometheus } from '../../support/prometheus.js';
import type { SentSnapshot } from '../../support/sent-snapshot.js';

const value = (sample: { readonly value?: readonly [number, string] } | undefined) =>
  Number(sample?.value?.[1]);

/** What Prometheus has of a demonstration against what the demonstration says. */
export function scrapeSuite(demo: () => RunningService, prometheus: () => Prometheus): void {
  it('a real Prometheus stores the estimates that the API reports, without a failed scrape', async () => {
    await eventually(
      'estimates in Prometheus',
      () =>
        prometheus()
          .query('unskew_estimate{window="1m",estimator="snips",aggregation="user"}')
          .catch(() => []),
      (found) => found.length > 0,
    );
    // What is stored is what some pane's API answer said: ask until both are of the same pane.
    await eventually(
      'the same pane, and the same values, in Prometheus and the API',
      async () => {
        const [pane] = await prometheus().query('unskew_pane_end_seconds');
        const at = JSON.parse((await demo().get('/api/v1/estimates')).body) as SentSnapshot;
        if (value(pane) * 1000 !== at.paneEnd) return ['another pane'];
        const stored = await prometheus().query('unskew_estimate{window="1m"}');
        const { results: estimates, onPolicy } = at.windows.find(({ name }) => name === '1m')!;
        const form = { metric: 'value', k: null, estimator: 'on_policy', aggregation: 'pooled' };
        const rewards = (onPolicy?.values ?? []).map((row) => ({ ...row, ...form }));
        const results = [...estimates, ...rewards];
        // What is withheld has no sample.
        const given = results.filter((row) => Number.isFinite(row.value));
        if (stored.length !== given.length) return [`${stored.length} of ${given.length} samples`];
        return stored.flatMap((sample) => {
          const { metric } = sample;
          const row = results.find(
            (r) =>
              r.model === metric['model'] &&
              r.metric === metric['metric'] &&
              String(r.k ?? '') === (metric['k'] ?? '') &&
              r.estimator === metric['estimator'] &&
              r.aggregation === metric['aggregation'],
          );
          return row?.value === value(sample) ? [] : [`${JSON.stringify(metric)} ${value(sample)}`];
        });
      },
      (apart) => apart.length === 0,
    );
    expect((await prometheus().query('up{job="unskew"}')).map(value)).toEqual([1]);
  });
}
