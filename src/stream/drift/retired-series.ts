import type { WatchState } from '../../drift/watch.js';

/** How many parts the names of series have before the name of their model. */
const PARTS: Readonly<Record<string, number>> = {
  ...{ estimate: 3, gap: 3, uncaused: 3 },
  ...{ gini: 2, popularity: 2, value: 2, on_policy: 1, lists: 1 },
};

/**
 * Forgets the series of models that are not evaluated any more: a model that made way is no longer
 * watched, and names that came once must not stay forever. One that is back is learned again.
 */
export function forgetRetired(series: WatchState, models: readonly string[]): void {
  const evaluated = new Set(models);
  for (const name of Object.keys(series)) {
    const model = modelOf(name);
    if (model !== undefined && !evaluated.has(model)) delete series[name];
  }
}

/** Undefined for a series of all traffic. A model's name may hold anything. */
function modelOf(series: string): string | undefined {
  const parts = series.split('/');
  const model = parts.slice(PARTS[parts[0]] ?? Number.POSITIVE_INFINITY).join('/');
  return model === '' ? undefined : model;
}
