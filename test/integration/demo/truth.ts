import { expect, it } from 'vitest';
import type { RunningService } from '../../support/program.js';
import type { SentSnapshot } from '../../support/sent-snapshot.js';

/** What a demonstration estimates against the truth that it knows. */
export function truthSuite(demo: () => RunningService): void {
  it('the demo has debiased estimates nearer to the truth than naive ones', async () => {
    const snapshot = JSON.parse((await demo().get('/api/v1/estimates')).body) as SentSnapshot;
    expect(snapshot.sampling.ratio).toBe(1);
    const window = snapshot.windows.find(({ name }) => name === '1m')!;
    const series = await demo().scrape();
    let compared = 0;
    for (const truth of snapshot.truth!) {
      if (truth.metric !== 'recall' && truth.metric !== 'dcg') continue;
      const off = (estimator: string): number => {
        const row = window.results.find(
          (r) =>
            r.estimator === estimator &&
            r.model === truth.model &&
            r.metric === truth.metric &&
            r.k === truth.k &&
            r.aggregation === truth.aggregation,
        )!;
        return Math.abs(row.value - truth.value);
      };
      const label = `${truth.model} ${truth.metric}@${truth.k} ${truth.aggregation}`;
      // Few users, and a γ that is assumed at first, promise no more. By how much they are nearer is
      // shown in test/reference/demo-numbers.test.ts.
      expect(off('naive'), label).toBeGreaterThan(0);
      for (const estimator of ['snips', 'gs']) {
        expect(off(estimator), `${label} ${estimator}`).toBeLessThan(off('naive'));
      }
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(3 * 2 * 5);
    // The metrics say the same as the API.
    const scraped = series.filter(({ name }) => name === 'unskew_estimate');
    expect(scraped.length).toBeGreaterThan(100);
  });
}
