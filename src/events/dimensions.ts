/** Which events say it of a row: the interaction itself, the user's latest list, or any event of the user. */
export const SEGMENT_SOURCES = ['interaction', 'exposure', 'user'] as const;
export type SegmentSource = (typeof SEGMENT_SOURCES)[number];

/** A dimension that estimates are divided by. */
export interface SegmentDimension {
  /** As in `segments` of an event. */
  readonly name: string;
  readonly from: SegmentSource;
}

/** Most dimensions that rows have. */
export const MOST_DIMENSIONS = 8;
/** Longest value, in bytes of UTF-8. */
export const MAX_VALUE_BYTES = 64;

/** Codes that no value has. */
export const MISSING = 0;
/** Of values that there is no room for. */
export const OTHER = 1;
/** Of the first value. */
export const FIRST_VALUE = 2;
