import { ALARMS } from './drift/page/now.js';
import { SHOWN_LISTS } from './on-policy/page/now.js';
import { REWARDS } from './on-policy/page/over-time.js';
import { RATINGS } from './ratings/page/now.js';
import { RATINGS_OVER_TIME } from './ratings/page/over-time.js';
import { VALUE_DIFFERENCES } from './values/page/differences-over-time.js';
import { REQUEST_VALUES } from './values/page/now.js';
import { VALUES } from './values/page/over-time.js';
import { ItemView } from './why/page/item-view.js';
import { MODEL_GAPS } from './why/page/model-gaps.js';
import { WHY } from './why/page/why-panel.js';

/** The panels of features, in their order, by where they stand. */
export const FEATURE_PANELS = {
  beforeEstimates: [MODEL_GAPS],
  afterEstimates: [WHY],
  besideEstimates: [
    ...[RATINGS, RATINGS_OVER_TIME],
    ...[REQUEST_VALUES, VALUES, VALUE_DIFFERENCES],
    ...[SHOWN_LISTS, REWARDS],
  ],
  changes: [ALARMS],
};

/** What features open above the page. */
export const FEATURE_DIALOGS: readonly (new () => { show(window: string): void })[] = [ItemView];
