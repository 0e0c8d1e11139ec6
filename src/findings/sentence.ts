/** A name from the events: where it is shown it is set apart from the words around it. */
export interface Name {
  readonly name: string;
}

/** Words or a figure that stand out where that can be shown. */
export interface Strong {
  readonly strong: string;
}

/** Words, names and what stands out, in their order. */
export type Sentence = readonly (string | Name | Strong)[];

type Piece = Sentence[number];

/** A sentence from a template; lists of pieces are joined. */
export function say(
  parts: TemplateStringsArray,
  ...pieces: readonly (Piece | Sentence)[]
): Sentence {
  const all: Piece[] = [parts[0]];
  pieces.forEach((piece, p) => {
    if (Array.isArray(piece)) all.push(...(piece as Sentence));
    else all.push(piece as Piece);
    all.push(parts[p + 1]);
  });
  return all.filter((part) => part !== '');
}

export function plainText(sentence: Sentence): string {
  return sentence.map(plainPart).join('');
}

function plainPart(part: Piece): string {
  if (typeof part === 'string') return part;
  return 'name' in part ? part.name : part.strong;
}
