import type { Lookup } from '../stream/tick/lookup.js';
import { gapReport, itemLists } from './why/why.js';

/** Functions by which features report on an item in a window. */
export const ITEM_REPORTS: readonly ((source: Lookup, window: string, item: string) => object)[] = [
  itemLists,
];

/** Questions that features answer from the rows and counts of a tick, while these are stored. */
export const LOOKUPS = {
  why: gapReport,
};

export type Lookups = typeof LOOKUPS;
