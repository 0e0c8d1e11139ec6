import type { KeptPanes } from './kept-panes.js';
import { type RankCell, rankCell } from './rank-e-values.js';
import { symmetricResiduals } from './symmetric-residuals.js';
import { whitened } from './whitened-residuals.js';

/** Room for the residuals of one series, used again for the next: most are of one length. */
let residuals = new Float64Array(0);
let white = new Float64Array(0);

/**
 * Where the newest pane ranks among all that are kept, by its whitened residual.
 *
 * @param kept at least one pane, the newest last. O(panes).
 */
export function newestCell(kept: KeptPanes): RankCell {
  const panes = kept.value.length;
  if (residuals.length !== panes) {
    residuals = new Float64Array(panes);
    white = new Float64Array(panes);
  }
  return rankCell(whitened(symmetricResiduals(kept, residuals), kept.follows, white));
}
