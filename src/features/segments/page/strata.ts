import type { ColumnSource } from '../../../page/panels/panel.js';
import { decimal } from '../../../rows/figures.js';
import { AskedSegments } from './asked-segments.js';

const DIMENSION = 'item_popularity';
const GROUPS = ['head', 'middle', 'tail'] as const;
const asked = new AskedSegments();

/** The chosen metric on popular items, on those between, and on rare ones: what popularity bias is. */
export const STRATA: ColumnSource = {
  follow(view, changed) {
    if (!view.tick.offered.dimensions.includes(DIMENSION)) return undefined;
    asked.follow(view, DIMENSION, changed);
    const rows = new Map(asked.rows.map((row) => [JSON.stringify([row.model, row.value]), row]));
    return {
      titles: [...GROUPS],
      cells: (model) =>
        GROUPS.map((group) => decimal(rows.get(JSON.stringify([model, group]))?.estimate, 3)),
    };
  },
};
