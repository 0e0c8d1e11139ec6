import type { StateWords } from '../rows/findings/state.js';
import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';
import { VERDICT_SHORT_WORDS } from './verdicts/verdict-words.js';

/** The words for states of a service that features alone find: without them no state needs these. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS } as {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
};

/** Which model is better, in a word or two, by the code of what is found. */
export const VERDICT_ANSWERS: Readonly<
  Record<string, (ahead: string) => { readonly tone: 'care' | 'unknown'; readonly word: string }>
> = { ...VERDICT_SHORT_WORDS };
