/** Text, with names and figures that stand out. */
export type Sentence = readonly (string | { readonly strong: string })[];

/** The answer to one question that people come with. */
export interface Answer {
  /** `good`: nothing to do; `care`: read on before deciding; `bad`: do not decide on this. */
  readonly tone: 'good' | 'care' | 'bad' | 'unknown';
  /** The answer in a word or two. */
  readonly word: string;
  readonly sentence: Sentence;
}

/** `a, b and c`, each of them standing out. */
export function named(names: readonly string[]): Sentence {
  return names.flatMap((name, n) => {
    const joint = n === 0 ? '' : n === names.length - 1 ? ' and ' : ', ';
    return joint === '' ? [{ strong: name }] : [joint, { strong: name }];
  });
}
