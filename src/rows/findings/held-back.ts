import type { State, StateCode } from './state.js';

/** What good news may be about: a trend over the horizon of popularity, or the numbers as they are. */
export type GoodNews = 'trend' | 'numbers';

const UNKNOWN = 'Not known now';
const EARLY = 'Too early to say';

/** What stands where good news would contradict a state. */
const INSTEAD: Partial<Readonly<Record<StateCode, string>>> = {
  stream_cut: UNKNOWN,
  failed: UNKNOWN,
  alarm: 'See the alarm first',
  broker_away: UNKNOWN,
  registry_away: UNKNOWN,
  exchange_away: UNKNOWN,
  clock_off: UNKNOWN,
  users_split: UNKNOWN,
  stale: UNKNOWN,
  topic_silent: UNKNOWN,
  panes_wait: UNKNOWN,
  catching_up: EARLY,
};

/**
 * Counts that still grow move every measure of concentration by themselves; and what would notice a
 * change does not yet know what is normal.
 */
const INSTEAD_OF_TREND: typeof INSTEAD = {
  ...INSTEAD,
  warming_up: EARLY,
  learning: 'Still learning',
};

/** A state that good news would contradict, and the words for it. */
export interface HeldBack<Each> {
  readonly state: Each;
  readonly word: string;
}

/**
 * Why nothing good may be said now: the most urgent state that contradicts it; undefined if none does.
 * A model that is left out, a store that is away, or a sample leave true what is said of the others.
 *
 * @param states the most urgent first
 * @example
 * heldBack([{ code: 'stale' }, { code: 'sampled' }], 'numbers')?.word; // 'Not known now'
 * heldBack([{ code: 'warming_up' }], 'numbers'); // undefined
 */
export function heldBack<Each extends Pick<State, 'code'>>(
  states: readonly Each[],
  news: GoodNews,
): HeldBack<Each> | undefined {
  const words = news === 'trend' ? INSTEAD_OF_TREND : INSTEAD;
  for (const state of states) {
    const word = words[state.code];
    if (word !== undefined) return { state, word };
  }
  return undefined;
}
