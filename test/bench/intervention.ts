import { performance } from 'node:perf_hooks';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { BenchResult } from './result.js';
import { interventionWindow } from './tick.js';

const ROUNDS = 5;

/** Expected wtd_h of recall@10 over 400,000 rows, its summary included: best of rounds. */
export async function benchIntervention(): Promise<BenchResult[]> {
  const { part, counts, options } = interventionWindow();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    estimateWindow({ part, counts, models: ['a'], options });
    best = Math.min(best, performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const detail = `${part.rows} rows, ${part.users} users, one model, both aggregations`;
  return [
    {
      id: 'intervention.wtd_h_400k_rows',
      value: best,
      unit: 'ms',
      target: '<= 100',
      ok: best <= 100,
      detail,
    },
  ];
}
