import type { NumberCodec } from '../../state/binary/numbers.js';
import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { NumberSums } from '../partitions/number-sums.js';
import { NumberedSums, type Rounds } from '../partitions/rounds.js';

const SHAPE = 0x7365_7276;

/** What the causes of some users' positive rows come to, before a share is made of it. */
class ServedTallies extends NumberedSums<ServedTallies> {
  /** Positive rows. */
  rows = 0;
  /** Those that name a list. */
  named = 0;
  /** By model, the longest of its lists that was served to a user with such a row; 0 if none was. */
  readonly depths: Int32Array;

  /** @param models how many there are. */
  constructor(models: number) {
    super(SHAPE + models, 'any');
    this.depths = new Int32Array(models);
  }

  ofOthers(): ServedTallies {
    return new ServedTallies(this.depths.length);
  }

  merge({ rows, named, depths }: ServedTallies): void {
    this.rows += rows;
    this.named += named;
    for (let m = 0; m < depths.length; m++) this.depths[m] = Math.max(this.depths[m], depths[m]);
  }

  pass(through: NumberCodec): void {
    this.rows = through.number(this.rows);
    this.named = through.number(this.named);
    for (const m of this.depths.keys()) this.depths[m] = through.number(this.depths[m]);
  }
}

/** What a row says of an arm: nothing, or whether its item stands in the arm's list while … */
const ASIDE = 0;
/** … another model's list was the one served, */
const HIDDEN_MISS = 1;
const HIDDEN_HIT = 2;
/** … or the arm's own. */
const SHOWN_MISS = 3;
const SHOWN_HIT = 4;
/** So many kinds of rows. */
const KINDS = 5;

/** What the causes of a window's positive rows come to. */
interface ServedRows {
  /** Share of the positive rows that name a list; NaN without any. */
  readonly named: number;
  /** By model, the longest of its lists that was served to a user with such a row; 0 if none was. */
  readonly depths: Int32Array;
}

/** @param models how many there are. One pass, O(rows). Yields after each part. */
export function* servedRows(
  parts: readonly WindowPart[],
  models: number,
  rounds: Rounds,
): Generator<void, ServedRows> {
  const { rows, named, depths } = yield* rounds.gather(new ServedTallies(models), parts, tally);
  return { named: named / rows, depths };
}

function* tally(tallies: ServedTallies, part: WindowPart): Generator<void, void> {
  const { rows, positive, causes, lists } = part;
  const { depths } = tallies;
  for (let r = 0; r < rows; r++) {
    if (positive[r] === 0) continue;
    tallies.rows++;
    if (causes === undefined) continue;
    if (causes.cause[r] !== UNCAUSED) tallies.named++;
    const m = causes.served[r] - 1;
    if (m >= 0 && m < depths.length) {
      const length = lists[m][r] & LIST_LENGTH_MASK;
      if (length > depths[m]) depths[m] = length;
    }
  }
  yield;
}

/**
 * What each row of a part says of an arm. Rows that name a list say nothing: what caused them is
 * known.
 *
 * @param depth as deep as the arm's list is looked at. @param into a place for each row.
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

/** One model whose lists were served to some users and held back from others. */
interface ServedArm {
  readonly model: string;
  /** Positive rows that name no list, while its list was the one served, and while another's was. */
  readonly shownRows: number;
  readonly hiddenRows: number;
  /** (h_shown − h_hidden) / (1 − h_hidden). */
  readonly caused: number;
}

/** An arm with its sums. */
interface CountedArm extends ServedArm {
  /** Its column in the parts, and how deep its lists are looked at. */
  readonly column: number;
  readonly depth: number;
  /** Rows whose item stands in its list. */
  readonly shownHits: number;
  readonly hiddenHits: number;
}

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
    model,
    shownRows,
    hiddenRows,
    caused: own,
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
  const shownHits = counts[SHOWN_HIT];
  const hiddenHits = counts[HIDDEN_HIT];
  const shownRows = counts[SHOWN_MISS] + shownHits;
  const hiddenRows = counts[HIDDEN_MISS] + hiddenHits;
  if (shownRows === 0 || hiddenRows === 0 || hiddenHits === hiddenRows) return null;
  const hidden = hiddenHits / hiddenRows;
  const caused = (shownHits / shownRows - hidden) / (1 - hidden);
  return { model, column, depth, shownRows, hiddenRows, shownHits, hiddenHits, caused };
}

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
function* armError(
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
