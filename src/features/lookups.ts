import type { Lookup } from '../stream/tick/lookup.js';
import { gapReport, itemLists } from './why/why.js';

/** What features say of an item in a window. */
export const ITEM_REPORTS: readonly ((source: Lookup, window: string, item: string) => object)[] = [
  itemLists,
];

/** Questions of features that the rows and counts of a tick answer, where these are. */
export const LOOKUPS = {
  why: gapReport,
};

export type Lookups = typeof LOOKUPS;
