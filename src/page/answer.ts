import type { Sentence } from '../rows/findings/sentence.js';

/** The answer to one question that people come with. */
export interface Answer {
  /** `good`: nothing to do; `care`: read on before deciding; `bad`: do not decide on this. */
  readonly tone: 'good' | 'care' | 'bad' | 'unknown';
  /** The answer in a word or two. */
  readonly word: string;
  readonly sentence: Sentence;
  /** The gap that is behind it, to be taken apart. */
  readonly why?: { readonly model: string; readonly against: string };
  /** What else speaks for it, to be opened. */
  readonly more?: readonly string[];
}
