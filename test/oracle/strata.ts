import type { EstimateOptions } from '../../src/estimators/options.js';
import type { PlainWindow } from './window.js';

/** Stratum of one item, worked out from the whole catalogue each time it is asked for. */
export function stratumOf(window: PlainWindow, item: number, options: EstimateOptions): number {
  const seen = window.popularity.filter((n) => n > 0);
  const least = Math.min(...seen);
  if (seen.length === 0 || Math.max(...seen) === least) return 0;
  const own = window.popularity[item] > 0 ? window.popularity[item] : least;
  if (options.strataScheme === 'popularity-rank') return rankStratum(window, item, options.strata);
  const beta = (options.gamma + 1) / 2;
  const scale = {
    'popularity-width': (n: number) => n,
    'propensity-width': (n: number) => n ** beta,
    log: (n: number) => Math.log(n),
  }[options.strataScheme];
  const values = seen.map(scale);
  const low = Math.min(...values);
  const width = Math.max(...values) - low;
  if (width === 0) return 0;
  return Math.min(options.strata - 1, Math.floor((options.strata * (scale(own) - low)) / width));
}

function rankStratum(window: PlainWindow, item: number, strata: number): number {
  const order = window.popularity
    .map((n, i) => ({ n, i }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n || (window.ids[a.i] < window.ids[b.i] ? -1 : 1));
  const rank = order.findIndex(({ i }) => i === item);
  return Math.floor((strata * (rank < 0 ? order.length - 1 : rank)) / order.length);
}
