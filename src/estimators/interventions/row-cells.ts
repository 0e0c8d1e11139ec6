import type { WeightCells } from '../../sampling/expected-inclusion.js';
import type { WindowPart } from '../../state/panes/window-part.js';

/**
 * All rows of a window with their weights, a cell for each: for weights that differ from user to
 * user. A row of weight 0 is left out.
 */
export function* rowCells(
  parts: readonly WindowPart[],
  userSides: ReadonlyMap<WindowPart, Float64Array>,
  itemSide: Float64Array,
  sliceRows: number,
): Generator<void, WeightCells> {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const weight = new Float64Array(rows);
  let cells = 0;
  let work = 0;
  for (const part of parts) {
    const sides = userSides.get(part)!;
    for (let s = 0; s < part.users; s++) {
      for (let r = part.userStart[s]; r < part.userStart[s + 1]; r++) {
        weight[cells] = sides[s] * itemSide[part.item[r]];
        if (weight[cells] > 0) cells++;
      }
      work += part.userStart[s + 1] - part.userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  return { cells, weight, rows: new Float64Array(cells).fill(1) };
}
