import type { WindowPart } from '../../state/panes/window-part.js';
import { inclusionProbability } from './expected-inclusion.js';
import type { Chances } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';

/**
 * The chance of every row of a window, π = 1 − e^(−w τ), where nobody asks for the margins of the draw
 * (see `drawMargins`). O(rows) where the user's side counts; yields between slices.
 */
export function* rowChances(
  { itemChance, sides, time }: PreparedIntervention,
  parts: readonly WindowPart[],
  sliceRows: number,
): Generator<void, Chances> {
  if (itemChance !== null) return itemChance;
  const { itemSide } = sides;
  const byRow = new Map<WindowPart, Float64Array>();
  for (const part of parts) {
    const { users, userStart, item } = part;
    const side = sides.userSides!.get(part)!;
    const chances = new Float64Array(part.rows);
    byRow.set(part, chances);
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        chances[r] = inclusionProbability(side[s] * itemSide[item[r]], time);
      }
      if (userStart[s + 1] < yieldAt) continue;
      yieldAt = userStart[s + 1] + sliceRows;
      yield;
    }
  }
  return byRow;
}
