import type { Finding } from '../rows/findings/finding.js';
import type { Sentence } from '../rows/findings/sentence.js';
import type { StateWords } from '../rows/findings/state.js';
import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';
import type { Rung } from './verdict.js';
import { RUNG_WORDS, VERDICT_SHORT_WORDS, VERDICT_WORDS } from './verdicts/verdict-words.js';

/** The words for states of a service that features alone find: without them no state needs these. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS } as {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
};

/** Which model is better, in a word or two, by the code of what is found. */
export const VERDICT_ANSWERS: Readonly<
  Record<string, (ahead: string) => { readonly tone: 'care' | 'unknown'; readonly word: string }>
> = { ...VERDICT_SHORT_WORDS };

/** The same as a sentence: the browser has these alone, and of all other findings what it is sent. */
export const VERDICT_SENTENCES = { ...VERDICT_WORDS } as Readonly<
  Record<string, (finding: Finding) => Sentence>
>;

/** What a verdict rests on, in a few words. */
export const BASIS_WORDS = { ...RUNG_WORDS } as Readonly<Record<Rung, string>>;
