/** Every field of the two event types; the index of a name is its code. */
export const FIELDS = [
  'id',
  'ts',
  'user',
  'item',
  'model',
  'exposure',
  'type',
  'action',
  'value',
  'randomized',
  'shown',
  'sampled',
  'candidates',
  'items',
  'scores',
  'propensities',
  'firstRank',
] as const;

export type Field = (typeof FIELDS)[number];

export const ID = 0;
export const TS = 1;
export const USER = 2;
export const ITEM = 3;
export const MODEL = 4;
export const EXPOSURE = 5;
export const TYPE = 6;
export const ACTION = 7;
export const VALUE = 8;
export const RANDOMIZED_FIELD = 9;
export const SHOWN_FIELD = 10;
export const SAMPLED_FIELD = 11;
export const CANDIDATES = 12;
export const ITEMS = 13;
export const SCORES = 14;
export const PROPENSITIES = 15;
export const FIRST_RANK = 16;
export const UNKNOWN_FIELD = -1;

/** Longest id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 512;
/** Longest list of an exposure, and most places of a page. */
export const MAX_LIST_LENGTH = 10_000;

// Length, first and third letter tell the names apart; the loop below checks that they do.
const SLOTS = 32;

function slotOf(length: number, first: number, third: number): number {
  return (length + first * 4 + third * 9) & (SLOTS - 1);
}

const CODE_OF_SLOT = new Int8Array(SLOTS).fill(UNKNOWN_FIELD);
const NAME_BYTES: Uint8Array[] = FIELDS.map((name) => new TextEncoder().encode(name));
for (const [code, name] of NAME_BYTES.entries()) {
  const slot = slotOf(name.length, name[0], name.length > 2 ? name[2] : 0);
  if (CODE_OF_SLOT[slot] !== UNKNOWN_FIELD) throw new Error(`Two fields share slot ${slot}.`);
  CODE_OF_SLOT[slot] = code;
}

/** Code of the field whose name is the byte range; `UNKNOWN_FIELD` for any other name. */
export function fieldOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 2 || length > 12) return UNKNOWN_FIELD;
  const code = CODE_OF_SLOT[slotOf(length, bytes[start], length > 2 ? bytes[start + 2] : 0)];
  if (code === UNKNOWN_FIELD) return code;
  const name = NAME_BYTES[code];
  if (name.length !== length) return UNKNOWN_FIELD;
  for (let i = 0; i < length; i++) {
    if (bytes[start + i] !== name[i]) return UNKNOWN_FIELD;
  }
  return code;
}
