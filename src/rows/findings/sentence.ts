/** A name from events. Outputs isolate it from the surrounding words. */
export interface Name {
  readonly name: string;
}

/** Words or a figure to emphasise, if the output can. */
export interface Strong {
  readonly strong: string;
}

/** Words, names and emphasised pieces, in order. */
export type Sentence = readonly (string | Name | Strong)[];

type Piece = Sentence[number];

/** Build a sentence from a template; lists of pieces are joined. */
export function say(
  parts: TemplateStringsArray,
  ...pieces: readonly (Piece | Sentence)[]
): Sentence {
  const all: Piece[] = [parts[0]];
  pieces.forEach((piece, p) => {
    if (Array.isArray(piece)) {
      all.push(...(piece as Sentence));
    } else {
      all.push(piece as Piece);
    }
    all.push(parts[p + 1]);
  });
  return all.filter((part) => part !== '');
}

/**
 * Convert a sentence to text. Names cannot change the text direction: such characters are replaced,
 * and names written from right to left are isolated.
 */
export function plainText(sentence: Sentence): string {
  return sentence.map(plainPart).join('');
}

function plainPart(part: Piece): string {
  if (typeof part === 'string') return part;
  return 'name' in part ? setApart(part.name) : part.strong;
}

/** Marks, embeddings, overrides and isolates of direction. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/**
 * Remove characters from a name that would change text direction or make it look like another name.
 */
export function withoutTurns(name: string): string {
  return name.replaceAll(DIRECTIONS, '\ufffd');
}

function setApart(name: string): string {
  const shown = withoutTurns(name);
  return RIGHT_TO_LEFT.test(shown) ? `${FIRST_STRONG_ISOLATE}${shown}${POP_ISOLATE}` : shown;
}
