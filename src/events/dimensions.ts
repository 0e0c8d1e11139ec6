/**
 * Source of a row's segment value: the interaction itself, the user's latest list, or any event of
 * the user.
 */
export const SEGMENT_SOURCES = ['interaction', 'exposure', 'user'] as const;
export type SegmentSource = (typeof SEGMENT_SOURCES)[number];

/** A segment dimension of estimates. */
export interface SegmentDimension {
  /** Name of the dimension in `segments` of an event. */
  readonly name: string;
  readonly from: SegmentSource;
}

/** Maximum number of segment dimensions. */
export const MOST_DIMENSIONS = 8;
/** Longest segment value, in bytes of UTF-8. */
export const MAX_VALUE_BYTES = 64;

/** Code of a missing segment value. */
export const MISSING = 0;
/** Code of segment values beyond the maximum number of distinct ones. */
export const OTHER = 1;
/** Code of the first segment value. */
export const FIRST_VALUE = 2;
