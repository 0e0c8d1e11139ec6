/**
 * A name from events within a sentence. Outputs keep its text direction from affecting the words
 * around it.
 */
export interface Name {
  readonly name: string;
}

/** Emphasised words or figures within a sentence. */
export interface Strong {
  readonly strong: string;
}

/** A sentence as a sequence of words, names and emphasised parts. */
export type Sentence = readonly (string | Name | Strong)[];

type Piece = Sentence[number];

/** Template tag that builds a sentence; inserted sentences become part of it. */
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
 * Convert a sentence to plain text. Characters in names that control text direction are replaced,
 * and names written from right to left are isolated.
 */
export function plainText(sentence: Sentence): string {
  return sentence.map(plainPart).join('');
}

function plainPart(part: Piece): string {
  if (typeof part === 'string') return part;
  return 'name' in part ? setApart(part.name) : part.strong;
}

/** Unicode characters that control text direction: marks, embeddings, overrides and isolates. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/**
 * Replace the characters of a name that control text direction, since they could make it look like
 * another name.
 */
export function withoutTurns(name: string): string {
  return name.replaceAll(DIRECTIONS, '\ufffd');
}

function setApart(name: string): string {
  const shown = withoutTurns(name);
  return RIGHT_TO_LEFT.test(shown) ? `${FIRST_STRONG_ISOLATE}${shown}${POP_ISOLATE}` : shown;
}
