import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';

/** One model whose lists were served to some users and held back from others. */
export interface ServedArm {
  readonly model: string;
  /** Positive rows while its list was the one served, and while another model's was. */
  readonly shownRows: number;
  readonly hiddenRows: number;
  /** (h_shown − h_hidden) / (1 − h_hidden). */
  readonly caused: number;
}

/** How much of a window its lists caused, as far as interactions without names tell. */
export interface CauseByArms {
  /** κ̂; below 0 by chance only. */
  readonly caused: number;
  readonly arms: readonly ServedArm[];
}

/** Sums over rows, by model. */
class ArmCounts {
  readonly shown: Float64Array;
  readonly shownHits: Float64Array;
  readonly hidden: Float64Array;
  readonly hiddenHits: Float64Array;

  constructor(models: number) {
    this.shown = new Float64Array(models);
    this.shownHits = new Float64Array(models);
    this.hidden = new Float64Array(models);
    this.hiddenHits = new Float64Array(models);
  }
}

/**
 * The share of the positive rows that served lists caused, where interactions do not name lists.
 *
 * κ̂ = (h_shown − h_hidden) / (1 − h_hidden), h the share of rows whose item stands in the arm's
 * list: h_shown while that list was the one served (the user's latest shown list was the arm's),
 * h_hidden while another model's was; the arms' κ̂ are averaged by their rows. If lists caused
 * nothing, a list would be hit as often whichever is served. Every arm is looked at as deep as its
 * served lists are. It takes two arms whose lists are known when they are not served; that an item
 * stands in a shown list proves nothing by itself.
 *
 * Bias: towards 0 where arms share items, since what one list causes then hits the other too. Two
 * passes over the rows, O(rows · models). Yields after each part.
 *
 * @param parts of which every one says whom the user was served by last; positive rows count.
 * @param models names, in the order of the parts' `ranks`.
 * @returns null where there are fewer than two such arms
 */
export function* causeByArms(
  parts: readonly WindowPart[],
  models: readonly string[],
): Generator<void, CauseByArms | null> {
  const depths = new Int32Array(models.length);
  for (const part of parts) {
    findDepths(part, depths);
    yield;
  }
  const counts = new ArmCounts(models.length);
  for (const part of parts) {
    countHits(part, depths, counts);
    yield;
  }
  const arms = models.flatMap((model, m): ServedArm[] => {
    const [shownRows, hiddenRows] = [counts.shown[m], counts.hidden[m]];
    if (shownRows === 0 || hiddenRows === 0) return [];
    const hidden = counts.hiddenHits[m] / hiddenRows;
    if (hidden === 1) return [];
    const caused = (counts.shownHits[m] / shownRows - hidden) / (1 - hidden);
    return [{ model, shownRows, hiddenRows, caused }];
  });
  if (arms.length < 2) return null;
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  return { caused: arms.reduce((sum, arm) => sum + arm.caused * arm.shownRows, 0) / rows, arms };
}

/** The longest list of each model that was served. */
function findDepths({ rows, positive, causes, lists }: WindowPart, depths: Int32Array): void {
  if (causes === undefined) return;
  for (let r = 0; r < rows; r++) {
    const m = causes.served[r] - 1;
    if (positive[r] === 0 || m < 0 || m >= depths.length) continue;
    depths[m] = Math.max(depths[m], lists[m][r] & LIST_LENGTH_MASK);
  }
}

function countHits(part: WindowPart, depths: Int32Array, counts: ArmCounts): void {
  const { rows, positive, causes } = part;
  if (causes === undefined) return;
  const { served } = causes;
  for (let m = 0; m < depths.length; m++) {
    const depth = depths[m];
    if (depth === 0) continue;
    const [ranks, lists] = [part.ranks[m], part.lists[m]];
    for (let r = 0; r < rows; r++) {
      if (positive[r] === 0 || served[r] === 0 || ranks[r] === UNRANKED) continue;
      if ((lists[r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      const hit = ranks[r] < depth ? 1 : 0;
      if (served[r] === m + 1) {
        counts.shown[m]++;
        counts.shownHits[m] += hit;
      } else {
        counts.hidden[m]++;
        counts.hiddenHits[m] += hit;
      }
    }
  }
}
