/** Every field of the two event types; the index of a name is its code. */
export const FIELDS = [
  'id',
  'ts',
  'user',
  'item',
  'model',
  'exposure',
  'request',
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
  'share',
  'depth',
  'propensityOf',
  'segments',
  'received',
] as const;

export type Field = (typeof FIELDS)[number];

export const ID = 0;
export const TS = 1;
export const USER = 2;
export const ITEM = 3;
export const MODEL = 4;
export const EXPOSURE = 5;
export const REQUEST_FIELD = 6;
export const TYPE = 7;
export const ACTION = 8;
export const VALUE = 9;
export const RANDOMIZED_FIELD = 10;
export const SHOWN_FIELD = 11;
export const SAMPLED_FIELD = 12;
export const CANDIDATES = 13;
export const ITEMS = 14;
export const SCORES = 15;
export const PROPENSITIES = 16;
export const FIRST_RANK = 17;
export const SHARE = 18;
export const DEPTH = 19;

/** Longest id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 512;
/** Maximum length of an exposure's list and of a page. */
export const MAX_LIST_LENGTH = 10_000;

/** Values of `propensityOf`; the index is the code, and the first is the default. */
export const PROPENSITY_KINDS = ['slot', 'conditional', 'item'] as const;
/** What a logged propensity is the probability of: see `PROPENSITY_KINDS`. */
export type PropensityOf = (typeof PROPENSITY_KINDS)[number];
