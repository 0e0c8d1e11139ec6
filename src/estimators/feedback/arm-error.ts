import type { WindowPart } from '../../state/panes/window-part.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import { HIDDEN_HIT, HIDDEN_MISS, KINDS, kindsOfRows, SHOWN_HIT, SHOWN_MISS } from './arm-rows.js';
import type { CountedArm } from './served-arm.js';

/**
 * The standard error of κ̂, clustered by user.
 *
 * se² = U / (U − 1) · Σ_u ψ_u², U users with a row that counts. With q_a the share of arm a in the
 * N shown rows of all arms, a shown row of it adds to its user's ψ
 *
 *   q_a (hit − h_shown) / ((1 − h_hidden) N_shown) + (κ_a − κ̂) / N, a hidden one
 *   −q_a (1 − h_shown) (hit − h_hidden) / ((1 − h_hidden)² N_hidden).
 *
 * A row that is shown for one arm is hidden for the others, so what the arms have in common is in
 * it. Not less than of independent rows, of which one hit and one miss more were seen on each
 * side: where a list has no hit yet, the sums alone would be sure of it.
 *
 * **Source**: linearised ratios, W. G. Cochran, Sampling Techniques, 1977, section 6.3. One pass,
 * O(rows · arms). Yields after each part and arm.
 */
export function* armError(
  parts: readonly WindowPart[],
  arms: readonly CountedArm[],
  caused: number,
  rounds: Rounds,
): Generator<void, number> {
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  const additions = arms.map((arm) => additionsOf(arm, rows, caused));
  const { values } = yield* rounds.gather(new NumberSums(2), parts, (sums, part) =>
    addPart(part, arms, additions, sums.values),
  );
  const [squares, users] = values;
  const clustered = users > 1 ? (squares * users) / (users - 1) : 0;
  return Math.sqrt(Math.max(clustered, independentVariance(arms, rows)));
}

/** Σ ψ², and users with a row that counts. */
function* addPart(
  part: WindowPart,
  arms: readonly CountedArm[],
  additions: readonly Float64Array[],
  into: Float64Array,
): Generator<void, void> {
  const psi = new Float64Array(part.users);
  const counts = new Uint8Array(part.users);
  const kinds = new Uint8Array(part.rows);
  for (const [a, { column, depth }] of arms.entries()) {
    kindsOfRows(part, column, depth, kinds);
    addByUser(part, kinds, additions[a]!, psi, counts);
    yield;
  }
  for (let s = 0; s < part.users; s++) {
    into[0] += psi[s] ** 2;
    into[1] += counts[s];
  }
}

/** What a row adds to its user's ψ, by kind. */
function additionsOf(arm: CountedArm, rows: number, caused: number): Float64Array {
  const { shownRows, hiddenRows } = arm;
  const [shown, hidden] = [arm.shownHits / shownRows, arm.hiddenHits / hiddenRows];
  const share = shownRows / rows;
  const perShown = share / ((1 - hidden) * shownRows);
  const perHidden = (-share * (1 - shown)) / ((1 - hidden) ** 2 * hiddenRows);
  const ofShare = (arm.caused - caused) / rows;
  const additions = new Float64Array(KINDS);
  additions[SHOWN_MISS] = -shown * perShown + ofShare;
  additions[SHOWN_HIT] = (1 - shown) * perShown + ofShare;
  additions[HIDDEN_MISS] = -hidden * perHidden;
  additions[HIDDEN_HIT] = (1 - hidden) * perHidden;
  return additions;
}

function addByUser(
  { users, userStart }: WindowPart,
  kinds: Uint8Array,
  additions: Float64Array,
  psi: Float64Array,
  counts: Uint8Array,
): void {
  for (let s = 0; s < users; s++) {
    let sum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      sum += additions[kinds[r]];
      if (kinds[r] !== 0) counts[s] = 1;
    }
    psi[s] += sum;
  }
}

/** As of independent rows, one hit and one miss more than there are. */
function independentVariance(arms: readonly CountedArm[], rows: number): number {
  return arms.reduce((sum, { shownRows, hiddenRows, shownHits, hiddenHits }) => {
    const shown = (shownHits + 1) / (shownRows + 2);
    const hidden = (hiddenHits + 1) / (hiddenRows + 2);
    const ofShown = (shown * (1 - shown)) / shownRows / (1 - hidden) ** 2;
    const ofHidden =
      ((hidden * (1 - hidden)) / hiddenRows) * ((1 - shown) / (1 - hidden) ** 2) ** 2;
    return sum + (shownRows / rows) ** 2 * (ofShown + ofHidden);
  }, 0);
}
