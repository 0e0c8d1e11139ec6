import type { Changed, ColumnSource, Panel } from '../page/panels/panel.js';
import type { View } from '../page/view.js';
import { changed } from './drift/page/changed.js';
import { ALARMS } from './drift/page/now.js';
import { SHOWN_LISTS } from './on-policy/page/now.js';
import { REWARDS } from './on-policy/page/over-time.js';
import { RATINGS } from './ratings/page/now.js';
import { RATINGS_OVER_TIME } from './ratings/page/over-time.js';
import { SEGMENTS } from './segments/page/segments-panel.js';
import { STRATA } from './segments/page/strata.js';
import { VALUE_DIFFERENCES } from './values/page/differences-over-time.js';
import { REQUEST_VALUES } from './values/page/now.js';
import { VALUES } from './values/page/over-time.js';
import { ItemView } from './why/page/item-view.js';
import { WHY } from './why/page/why-panel.js';

/** Panels of features, in order, by the part of the page that contains them. */
export const FEATURE_PANELS: Readonly<Record<'time' | 'worth' | 'why' | 'segments', Panel[]>> = {
  time: [ALARMS, VALUES, VALUE_DIFFERENCES, REWARDS, RATINGS_OVER_TIME],
  worth: [REQUEST_VALUES, SHOWN_LISTS, RATINGS],
  why: [WHY],
  segments: [SEGMENTS],
};

/** Columns of the table of models. */
export const FEATURE_COLUMNS: readonly ColumnSource[] = [STRATA];

/** Functions that summarise in one line what has changed. */
export const FEATURE_CHANGES: readonly ((view: View) => Changed)[] = [changed];

/** Dialogs of features. */
export const FEATURE_DIALOGS: readonly (new () => { show(window: string): void })[] = [ItemView];
