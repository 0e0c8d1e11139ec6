import type { Aggregation } from '../estimators/names.js';

/** A metric with its cut-off, e.g. `recall@10`. */
export function metricName({ metric, k }: { metric: string; k: number | null }): string {
  return k === null ? metric : `${metric}@${k}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed<T>(items: readonly T[], and = ' and '): (T | string)[] {
  return items.flatMap((item, i) => {
    if (i === 0) return [item];
    return [i === items.length - 1 ? and : ', ', item];
  });
}

export const AGGREGATION_WORDS: Readonly<Record<Aggregation, string>> = {
  user: 'mean over users',
  pooled: 'over all events',
};

/** Where the γ in use comes from. */
export const GAMMA_SOURCE_WORDS = {
  fixed: 'fixed',
  fit: 'fitted',
  last_good: 'last good fit',
  calibrated: 'calibrated with randomised traffic',
  assumed: 'assumed',
} as const;

/** How a fit of γ went. */
export const GAMMA_STATUS_WORDS = {
  ok: 'fit ok',
  too_few_levels: 'too few levels to fit',
  poor_fit: 'poor fit',
  stale: 'nothing to fit',
} as const;

/** A sentence's first letter; a Greek one stays what it is. */
export function capital(text: string): string {
  return text.replace(/^[a-z]/, (first) => first.toUpperCase());
}
