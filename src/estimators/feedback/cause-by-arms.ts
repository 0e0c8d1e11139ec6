import type { WindowPart } from '../../state/panes/window-part.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import { armError } from './arm-error.js';
import { HIDDEN_HIT, HIDDEN_MISS, KINDS, kindsOfRows, SHOWN_HIT, SHOWN_MISS } from './arm-rows.js';
import type { CountedArm, ServedArm } from './served-arm.js';

/** How much of what names no list lists caused, as far as it shows in which of them were served. */
export interface CauseByArms {
  /** κ̂; below 0 by chance only. */
  readonly caused: number;
  /** Clustered by user. */
  readonly stdErr: number;
  readonly arms: readonly ServedArm[];
}

/**
 * The share of the positive rows without a named list that served lists caused.
 *
 * κ̂ = (h_shown − h_hidden) / (1 − h_hidden), h the share of rows whose item stands in the arm's
 * list: h_shown while that list was the one served (the user's latest shown list was the arm's),
 * h_hidden while another model's was; the arms' κ̂ are averaged by their rows. If lists caused
 * nothing, a list would be hit as often whichever is served. Every arm is looked at as deep as its
 * served lists are. It takes two arms whose lists are known when they are not served; that an item
 * stands in a shown list proves nothing by itself. Its error: `armError`.
 *
 * Bias: towards 0 where arms share items, since what one list causes then hits the other too; in
 * either direction where users choose their arm. Two passes over the rows, O(rows · arms). Yields
 * after each part and arm.
 *
 * @param parts of which every one says whom the user was served by last; positive rows count.
 * @param models names, in the order of the parts' `ranks`. @param depths see `servedRows`.
 * @param rounds bring the sums of all partitions together.
 * @returns null where there are fewer than two such arms
 */
export function* causeByArms(
  parts: readonly WindowPart[],
  models: readonly string[],
  depths: Int32Array,
  rounds: Rounds,
): Generator<void, CauseByArms | null> {
  const none = new NumberSums(KINDS * models.length);
  const { values } = yield* rounds.gather(none, parts, (sums, part) =>
    countKinds(part, depths, sums.values),
  );
  const arms: CountedArm[] = [];
  for (const [m, model] of models.entries()) {
    if (depths[m] === 0) continue;
    const arm = armOf(model, m, depths[m], values.subarray(KINDS * m, KINDS * (m + 1)));
    if (arm !== null) arms.push(arm);
  }
  if (arms.length < 2) return null;
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  const caused = arms.reduce((sum, arm) => sum + arm.caused * arm.shownRows, 0) / rows;
  const stdErr = yield* armError(parts, arms, caused, rounds);
  const named = arms.map(({ model, shownRows, hiddenRows, caused: own }) => ({
    ...{ model, shownRows, hiddenRows, caused: own },
  }));
  return { caused, stdErr, arms: named };
}

/** Rows by what they say of each arm. */
function* countKinds(
  part: WindowPart,
  depths: Int32Array,
  into: Float64Array,
): Generator<void, void> {
  const kinds = new Uint8Array(part.rows);
  for (let m = 0; m < depths.length; m++) {
    if (depths[m] === 0) continue;
    kindsOfRows(part, m, depths[m], kinds);
    for (let r = 0; r < kinds.length; r++) into[KINDS * m + kinds[r]]++;
    yield;
  }
}

/** Null where its lists were never held back or never served, or hold all that was found. */
function armOf(
  model: string,
  column: number,
  depth: number,
  counts: Float64Array,
): CountedArm | null {
  const [shownHits, hiddenHits] = [counts[SHOWN_HIT], counts[HIDDEN_HIT]];
  const shownRows = counts[SHOWN_MISS] + shownHits;
  const hiddenRows = counts[HIDDEN_MISS] + hiddenHits;
  if (shownRows === 0 || hiddenRows === 0 || hiddenHits === hiddenRows) return null;
  const hidden = hiddenHits / hiddenRows;
  const caused = (shownHits / shownRows - hidden) / (1 - hidden);
  return { model, column, depth, shownRows, hiddenRows, shownHits, hiddenHits, caused };
}
