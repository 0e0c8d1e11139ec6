import type { WindowPart } from '../../state/panes/window-part.js';
import { type LaneKey, Selection } from './selection.js';

/**
 * Gives each lane its rows of a chunk. Where the rows of one lane are those of the lane before, the
 * very same object comes back, so that what was made for them is not made again.
 */
export class LaneRows {
  private positive = new Selection();
  private latest: Selection | null = null;
  private spare = new Selection();
  private other = new Selection();

  /** Starts a chunk with its positive rows. */
  begin(positive: Selection): void {
    this.positive = positive;
    this.latest = null;
  }

  of(part: WindowPart, lane: LaneKey, catalogueSize: number): Selection {
    if (this.positive.isRankedThroughout(part, lane, catalogueSize)) {
      this.latest = this.positive;
      return this.positive;
    }
    const rows = this.spare;
    rows.takeRanked(this.positive, part, lane, catalogueSize);
    // A lane without rows makes nothing, so it takes nothing away either.
    if (rows.rows === 0) return rows;
    if (this.latest?.equals(rows)) return this.latest;
    [this.spare, this.other] = [this.other, rows];
    this.latest = rows;
    return rows;
  }
}
