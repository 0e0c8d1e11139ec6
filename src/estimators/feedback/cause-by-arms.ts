import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';

/**
 * Kinds of rows relative to an arm. A row is shown if its user was last served the arm's list, and
 * hidden if the user was last served another model's list. A row is a hit if its item is in the
 * arm's list, otherwise a miss. `ASIDE`: rows that do not count for the arm.
 */
const ASIDE = 0;
const HIDDEN_MISS = 1;
const HIDDEN_HIT = 2;
const SHOWN_MISS = 3;
const SHOWN_HIT = 4;
const KINDS = 5;

/** Share of positive rows with a list id, and the depth of each model's served lists. */
interface ServedRows {
  /** Share of the positive rows that have a list id; NaN without positive rows. */
  readonly named: number;
  /**
   * By model: length of the longest of its lists that were served to users with positive rows; 0 if
   * there is none.
   */
  readonly depths: Int32Array;
}

/**
 * Compute the share of positive rows with a list id, and the depth of each model's served lists.
 * O(rows). @param models number of models.
 */
export function servedRows(
  { rows, positive, causes, lists }: WindowPart,
  models: number,
): ServedRows {
  const depths = new Int32Array(models);
  let positives = 0;
  let named = 0;
  for (let r = 0; r < rows; r++) {
    if (positive[r] === 0) continue;
    positives++;
    if (causes === undefined) continue;
    if (causes.cause[r] !== UNCAUSED) {
      named++;
    }
    const m = causes.served[r] - 1;
    if (m >= 0 && m < models) {
      depths[m] = Math.max(depths[m], lists[m][r] & LIST_LENGTH_MASK);
    }
  }
  return {
    named: named / positives,
    depths,
  };
}

/**
 * Classify each row relative to an arm (`HIDDEN_MISS` to `SHOWN_HIT`). Rows with a list id are
 * `ASIDE`, since their cause is known.
 *
 * @param depth cut-off of the arm's list. @param into receives the kind of each row.
 */
function kindsOfRows(part: WindowPart, arm: number, depth: number, into: Uint8Array): void {
  const { rows, positive, causes } = part;
  into.fill(ASIDE, 0, rows);
  if (causes === undefined) return;
  const { served, cause } = causes;
  const ranks = part.ranks[arm];
  const lists = part.lists[arm];
  for (let r = 0; r < rows; r++) {
    if (positive[r] === 0 || served[r] === 0 || cause[r] !== UNCAUSED) continue;
    if (ranks[r] === UNRANKED || (lists[r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
    const miss = served[r] === arm + 1 ? SHOWN_MISS : HIDDEN_MISS;
    into[r] = ranks[r] < depth ? miss + 1 : miss;
  }
}

/** A model whose lists were served to some users and not to others. */
interface ServedArm {
  readonly model: string;
  /**
   * Number of positive rows without a list id of users who were last served this model's list
   * (`shownRows`), and of users who were last served another model's list (`hiddenRows`).
   */
  readonly shownRows: number;
  readonly hiddenRows: number;
  /** κ̂ of this arm alone: (h_shown − h_hidden) / (1 − h_hidden), see `causeByArms`. */
  readonly caused: number;
}

interface CountedArm extends ServedArm {
  /** Index of the model's column of ranks (`column`), and cut-off of its lists (`depth`). */
  readonly column: number;
  readonly depth: number;
  /** Number of the shown rows, and of the hidden rows, whose item is in the model's list. */
  readonly shownHits: number;
  readonly hiddenHits: number;
}

/** Share of the rows without a list id that lists caused, estimated from which lists were served. */
export interface CauseByArms {
  /** κ̂, the estimated share; random variation can make it negative. */
  readonly caused: number;
  /** Standard error, clustered by user. */
  readonly stdErr: number;
  readonly arms: readonly ServedArm[];
}

/**
 * Estimate the share κ of positive rows without a list id that served lists caused.
 *
 * Compare the hit rates h of an arm, the share of rows whose item is in the arm's list: h_shown
 * over users who were last served that list, h_hidden over users who were last served another
 * model's list. If lists caused nothing, both would be equal; κ̂ = (h_shown − h_hidden) / (1 −
 * h_hidden), averaged over arms in proportion to their shown rows. Each arm's lists are cut at the
 * depth of its served lists. The estimate needs two arms whose lists are logged even when they are
 * not served; an item in a served list proves nothing by itself. Its error: `armError`.
 *
 * Bias: towards 0 where arms share items, since interactions that one list causes then count as
 * hits of the other too; in either direction where users choose their arm. Two passes over the
 * rows, O(rows · arms).
 *
 * @param part rows with the list each user was served last; only positive rows count.
 * @param models names, in the order of `part.ranks`. @param depths see `servedRows`.
 * @returns null if fewer than two arms have shown and hidden rows
 */
export function causeByArms(
  part: WindowPart,
  models: readonly string[],
  depths: Int32Array,
): CauseByArms | null {
  const kinds = new Uint8Array(part.rows);
  const arms: CountedArm[] = [];
  for (const [m, model] of models.entries()) {
    if (depths[m] === 0) continue;
    kindsOfRows(part, m, depths[m], kinds);
    const counts = new Float64Array(KINDS);
    for (const kind of kinds) {
      counts[kind]++;
    }
    const arm = armOf(model, m, depths[m], counts);
    if (arm !== null) {
      arms.push(arm);
    }
  }
  if (arms.length < 2) return null;
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  const caused = arms.reduce((sum, arm) => sum + arm.caused * arm.shownRows, 0) / rows;
  const stdErr = armError(part, arms, caused);
  const named = arms.map(({ model, shownRows, hiddenRows, caused: own }) => ({
    model,
    shownRows,
    hiddenRows,
    caused: own,
  }));
  return {
    caused,
    stdErr,
    arms: named,
  };
}

/**
 * Compute an arm's hit rates and κ̂. Null if its lists were always served, were never served, or
 * contain all items found while another list was served.
 */
function armOf(
  model: string,
  column: number,
  depth: number,
  counts: Float64Array,
): CountedArm | null {
  const shownHits = counts[SHOWN_HIT];
  const hiddenHits = counts[HIDDEN_HIT];
  const shownRows = counts[SHOWN_MISS] + shownHits;
  const hiddenRows = counts[HIDDEN_MISS] + hiddenHits;
  if (shownRows === 0 || hiddenRows === 0 || hiddenHits === hiddenRows) return null;
  const hidden = hiddenHits / hiddenRows;
  const caused = (shownHits / shownRows - hidden) / (1 - hidden);
  return {
    model,
    column,
    depth,
    shownRows,
    hiddenRows,
    shownHits,
    hiddenHits,
    caused,
  };
}

/**
 * Standard error of κ̂, clustered by user.
 *
 * se² = U / (U − 1) · Σ_u ψ_u², over U users with a row that counts. With q_a the share of arm a in
 * the N shown rows of all arms, a shown row adds to its user's ψ
 *
 *   q_a (hit − h_shown) / ((1 − h_hidden) N_shown) + (κ_a − κ̂) / N,
 *
 * and a hidden row adds
 *
 *   −q_a (1 − h_shown) (hit − h_hidden) / ((1 − h_hidden)² N_hidden),
 *
 * where hit is 1 or 0. A row that is shown for one arm is hidden for the others, so ψ includes the
 * covariance of the arms. The result is at least the error of independent rows with one more hit
 * and one more miss for shown and for hidden rows, since an arm without hits would otherwise have
 * no error.
 *
 * **Source**: linearised ratios, W. G. Cochran, Sampling Techniques, 1977, section 6.3. One pass,
 * O(rows · arms).
 */
function armError(part: WindowPart, arms: readonly CountedArm[], caused: number): number {
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  const psi = new Float64Array(part.users);
  const counts = new Uint8Array(part.users);
  const kinds = new Uint8Array(part.rows);
  for (const arm of arms) {
    kindsOfRows(part, arm.column, arm.depth, kinds);
    addByUser(part, kinds, additionsOf(arm, rows, caused), { psi, counts });
  }
  let squares = 0;
  let users = 0;
  for (let s = 0; s < part.users; s++) {
    squares += psi[s] ** 2;
    users += counts[s];
  }
  const clustered = users > 1 ? (squares * users) / (users - 1) : 0;
  return Math.sqrt(Math.max(clustered, independentVariance(arms, rows)));
}

/** By kind of row: what one row adds to its user's ψ. */
function additionsOf(arm: CountedArm, rows: number, caused: number): Float64Array {
  const { shownRows, hiddenRows } = arm;
  const shown = arm.shownHits / shownRows;
  const hidden = arm.hiddenHits / hiddenRows;
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
  {
    psi,
    counts,
  }: {
    readonly psi: Float64Array;
    readonly counts: Uint8Array;
  },
): void {
  for (let s = 0; s < users; s++) {
    let sum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      sum += additions[kinds[r]];
      if (kinds[r] !== 0) {
        counts[s] = 1;
      }
    }
    psi[s] += sum;
  }
}

/**
 * Variance of κ̂ if rows were independent, with one hit and one miss added to the shown and to the
 * hidden rows of each arm.
 */
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
