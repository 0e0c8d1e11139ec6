import { describe, expect, it } from 'vitest';
import { withItemGroups } from '../../../src/estimators/segments/built-in-axes.js';
import type { WindowPart } from '../../../src/state/panes/window-part.js';

/** Head A, middle B and C, tail D, E, F, and G, which is without a count. */
const COUNTS = Float64Array.of(8, 5, 3, 2, 1, 1, 0);

function partOf(segments?: WindowPart['segments']): WindowPart {
  return {
    rows: 7,
    item: Int32Array.of(0, 1, 2, 3, 4, 5, 6),
    positive: Uint8Array.of(1, 1, 1, 1, 0, 1, 1),
    ...(segments && { segments }),
  } as unknown as WindowPart;
}

describe('the dimension by popularity of the item', () => {
  it('groups rows by item popularity if events have no segments', () => {
    const found = withItemGroups(null, partOf(), COUNTS, 30)!;
    expect(found.axes).toEqual({
      dimensions: ['item_popularity'],
      names: [['', '', 'head', 'middle', 'tail']],
      rows: [[0, 0, 1, 2, 3]],
      hidden: [0],
      minUsers: 30,
    });
    expect([...found.part.segments!.codes[0]!]).toEqual([2, 3, 3, 4, 4, 4, 4]);
  });

  it('is left out if all items are equally popular', () => {
    expect(withItemGroups(null, partOf(), new Float64Array(7).fill(2), 30)).toBeNull();
  });
});
