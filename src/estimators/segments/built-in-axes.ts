import { FIRST_VALUE } from '../../events/dimensions.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { NumberSums } from '../partitions/number-sums.js';
import { ALONE } from '../partitions/rounds.js';
import type { SegmentAxes } from '../results/segment-report.js';
import { groupOfItem, ITEM_GROUPS, itemBorders } from './item-groups.js';

/** Dimensions that need no event to say anything. */
export const BUILT_IN_DIMENSIONS = ['item_popularity'] as const;
export type BuiltInDimension = (typeof BUILT_IN_DIMENSIONS)[number];

/** A window's parts with the axes that their codes are of. */
export interface DividedRows {
  readonly axes: SegmentAxes;
  readonly parts: readonly WindowPart[];
}

const NAMES: readonly string[] = ['', '', ...ITEM_GROUPS];

/**
 * Adds a dimension by the row's item: head, middle or tail of the items by popularity, borders at whole
 * levels (item-groups.ts). The very same where the items have no borders: nothing was counted, or head
 * and tail would be one. O(rows + items log items). Yields after each part.
 *
 * @param divided null where rows are not divided by anything else. @param counts positives by item.
 * @param rounds bring the rows of all partitions together: one round, where there are borders.
 */
export function* withItemGroups(
  divided: DividedRows | null,
  parts: readonly WindowPart[],
  counts: Float64Array,
  minUsers: number,
  rounds = ALONE,
): Generator<void, DividedRows | null> {
  const borders = itemBorders(counts);
  if (typeof borders === 'string') return divided;
  const groupOf = Uint16Array.from(counts, (n) => FIRST_VALUE + groupOfItem(n, borders));
  const grouped: WindowPart[] = [];
  for (const part of divided?.parts ?? parts) {
    const column = new Uint16Array(part.rows);
    for (let r = 0; r < part.rows; r++) column[r] = groupOf[part.item[r]];
    const { dimensions, names, codes } = part.segments ?? { dimensions: [], names: [], codes: [] };
    const segments = {
      dimensions: [...dimensions, BUILT_IN_DIMENSIONS[0]],
      names: [...names, NAMES],
      codes: [...codes, column],
    };
    grouped.push({ ...part, segments: divided === null ? onlyLast(segments) : segments });
    yield;
  }
  const found = yield* rounds.gather(
    new NumberSums(NAMES.length),
    grouped,
    function* count(own, part) {
      const column = part.segments!.codes.at(-1)!;
      for (let r = 0; r < part.rows; r++) own.values[column[r]] += part.positive[r];
      yield;
    },
  );
  const rows = [...found.values];
  const axes = divided?.axes ?? { dimensions: [], names: [], rows: [], hidden: [], minUsers };
  return {
    parts: grouped,
    axes: {
      ...axes,
      dimensions: [...axes.dimensions, BUILT_IN_DIMENSIONS[0]],
      names: [...axes.names, NAMES],
      rows: [...axes.rows, rows],
      hidden: [...axes.hidden, 0],
    },
  };
}

function onlyLast({ dimensions, names, codes }: NonNullable<WindowPart['segments']>) {
  return { dimensions: dimensions.slice(-1), names: names.slice(-1), codes: codes.slice(-1) };
}
