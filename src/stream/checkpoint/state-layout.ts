import type { PopularityOptions } from '../../state/counts/popularity.js';
import type { CausedPopularity, RandomizedPopularity } from '../../state/counts/popularity-rule.js';
import { settingsOf } from './changed-settings.js';

/** What a state was made with, as far as its layout depends on it. */
export interface StateLayout {
  readonly popularity: PopularityOptions;
  readonly dedupeTtlMs: number;
  readonly attributionTtlMs: number;
  readonly longestWindowMs: number;
  /** End of the newest pane that had closed, event time, ms; −Infinity before the first. */
  readonly paneEnd: number;
}

/** Reads the settings that `stateSettings` stated. */
export function layoutOf(opened: {
  readonly version: number;
  readonly head: {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly progress: { readonly closedThrough: number };
  };
}): StateLayout {
  const settings = settingsOf(opened);
  const ms = (name: string) => settings[name] as number;
  const windowsMs = settings['time.windows'] as readonly number[];
  return {
    popularity: {
      paneMs: ms('time.tick'),
      horizonMs: ms('popularity.horizon'),
      gammaPeriodMs: ms('gammaPeriod'),
      windowsMs,
      of: settings['popularity.of'] as 'positive' | 'all',
      randomized: settings['popularity.randomized'] as RandomizedPopularity,
      caused: settings['popularity.caused'] as CausedPopularity,
      userCap: settings['popularity.userCap'] as number,
    },
    dedupeTtlMs: ms('dedupe.ttl'),
    attributionTtlMs: ms('attribution.ttl'),
    paneEnd: (opened.head.progress.closedThrough + 1) * ms('time.tick'),
    longestWindowMs: Math.max(...windowsMs),
  };
}
