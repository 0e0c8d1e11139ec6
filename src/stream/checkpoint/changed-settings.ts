import type { PopularityOptions } from '../../state/counts/popularity.js';
import type { CausedPopularity, RandomizedPopularity } from '../../state/counts/popularity-rule.js';
import { UNSTATED_SETTINGS } from '../options.js';

/**
 * Effect of a changed setting on stored state. `kept`: the state stays, and new events follow the
 * new value. `converted`: the state is converted as far as possible. `refused`: the state cannot be
 * used.
 */
export type SettingEffect = 'kept' | 'converted' | 'refused';

/** Effect of changing a setting, by its name. */
export const SETTING_EFFECTS = {
  'time.tick': 'refused',
  'time.windows': 'converted',
  'time.lateness': 'kept',
  'dedupe.ttl': 'converted',
  'attribution.ttl': 'converted',
  'attribution.clockSkew': 'kept',
  'popularity.horizon': 'converted',
  'popularity.of': 'refused',
  'positive.minValue': 'refused',
  gammaPeriod: 'converted',
  gammaFit: 'kept',
  'popularity.randomized': 'refused',
  'popularity.caused': 'refused',
  'popularity.userCap': 'kept',
  'estimates.feedback': 'refused',
  'events.actions': 'refused',
  'ratings.lowest': 'kept',
  'ratings.highest': 'kept',
  'ratings.step': 'kept',
  'value.horizon': 'kept',
} as const satisfies Readonly<Record<string, SettingEffect>>;

/** Settings that are durations of event time, ms. */
const DURATIONS: ReadonlySet<string> = new Set([
  'time.tick',
  'time.windows',
  'time.lateness',
  'dedupe.ttl',
  'attribution.ttl',
  'attribution.clockSkew',
  'popularity.horizon',
  'gammaPeriod',
  'value.horizon',
]);
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

export interface SettingChange {
  readonly name: string;
  readonly effect: SettingEffect;
  /** Value with which the stored state was made, in words; `now` is the current value. */
  readonly made: string;
  readonly now: string;
}

/**
 * Settings that a stored state was made with. For settings that version 1 of the format does not
 * record, the values in `UNSTATED_SETTINGS` are assumed.
 */
export function settingsOf({
  version,
  head,
}: {
  readonly version: number;
  readonly head: { readonly settings: Readonly<Record<string, unknown>> };
}): Readonly<Record<string, unknown>> {
  return {
    ...(version === 1 ? UNSTATED_SETTINGS : {}),
    ...head.settings,
  };
}

/**
 * List the settings that have another value now than when the state was stored. A setting that the
 * state does not record is listed unless its effect is `kept`.
 */
export function changedSettings(
  made: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): SettingChange[] {
  return Object.keys(now)
    .filter((name) => JSON.stringify(made[name]) !== JSON.stringify(now[name]))
    .filter((name) => name in made || effectOf(name, made[name], now[name]) !== 'kept')
    .map((name) => ({
      name,
      effect: effectOf(name, made[name], now[name]),
      made: told(name, made[name]),
      now: told(name, now[name]),
    }));
}

/** How a changed setting affects the state, in one clause. */
export const EFFECT_WORDS: Readonly<Record<SettingEffect, string>> = {
  kept: 'the stored state is kept, and the new value applies to new events',
  converted: 'the stored state is converted, and a longer period fills up over time',
  refused: 'the stored state cannot be used with the new value',
};

/**
 * Effect of changing a setting. Adding or removing a user cap changes what the stored counts
 * include, so the state is then refused.
 */
function effectOf(name: string, made: unknown, now: unknown): SettingEffect {
  if (name === 'popularity.userCap' && (made === 0 || now === 0)) return 'refused';
  return SETTING_EFFECTS[name as keyof typeof SETTING_EFFECTS] ?? 'refused';
}

function told(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => told(name, each)).join(', ');
  if (!DURATIONS.has(name) || typeof value !== 'number') return JSON.stringify(value) ?? 'not set';
  const [unit, ms] = UNITS.find(([, size]) => value >= size && value % size === 0) ?? ['ms', 1];
  return `${value / ms}${unit}`;
}

/** Settings of a stored state that determine its layout. */
export interface StateLayout {
  readonly popularity: PopularityOptions;
  readonly dedupeTtlMs: number;
  readonly attributionTtlMs: number;
  readonly longestWindowMs: number;
  /**
   * End of the newest pane that the state includes, event time, ms: it had closed, or a seed has
   * counted it. −Infinity without any.
   */
  readonly paneEnd: number;
}

/** Read the layout of a stored state from the settings and progress in its checkpoint. */
export function layoutOf(opened: {
  readonly version: number;
  readonly head: {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly progress: {
      readonly closedThrough: number;
      readonly seeded?: number;
    };
  };
}): StateLayout {
  const { closedThrough, seeded = closedThrough } = opened.head.progress;
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
    paneEnd: (Math.max(closedThrough, seeded) + 1) * ms('time.tick'),
    longestWindowMs: Math.max(...windowsMs),
  };
}
