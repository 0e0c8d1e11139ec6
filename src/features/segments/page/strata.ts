import type { ColumnSource } from '../../../page/panels/panel.js';
import { decimal } from '../../../rows/figures.js';
import { metricName } from '../../../rows/words.js';
import { AskedSegments } from './asked-segments.js';

const DIMENSION = 'item_popularity';
const GROUPS = ['head', 'middle', 'tail'] as const;
const asked = new AskedSegments();

/**
 * Columns in the table of models: the chosen metric on popular, mid-tail and long-tail items, which
 * shows popularity bias.
 */
export const STRATA: ColumnSource = {
  follow(view, changed) {
    if (!view.tick.offered.dimensions.includes(DIMENSION)) return undefined;
    asked.follow(view, DIMENSION, changed);
    const rows = new Map(asked.rows.map((row) => [JSON.stringify([row.model, row.value]), row]));
    const estimate = (model: string, group: string) =>
      rows.get(JSON.stringify([model, group]))?.estimate;
    const none = view.wait === undefined ? 'too few users' : 'not known yet';
    return {
      titles: [...GROUPS],
      note: `${metricName(view.tick.chosen)} on popular (head), mid-tail (middle) and long-tail items (tail). ${asked.fault || `–: ${none}`}`,
      cells: (model) =>
        GROUPS.map((group) => (asked.hasCome ? decimal(estimate(model, group), 3) : '…')),
    };
  },
};
