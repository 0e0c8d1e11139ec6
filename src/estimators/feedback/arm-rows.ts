import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import type { PartitionSums, Rounds } from '../partitions/rounds.js';

const SHAPE = 0x7365_7276;

/** What the causes of some users' positive rows come to, before a share is made of it. */
class ServedTallies implements PartitionSums<ServedTallies> {
  /** Positive rows. */
  rows = 0;
  /** Those that name a list. */
  named = 0;
  /** By model, the longest of its lists that was served to a user with such a row; 0 if none was. */
  readonly depths: Int32Array;

  /** @param models how many there are. */
  constructor(models: number) {
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

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const number of [this.rows, this.named, ...this.depths]) to.number(number);
    return to.seal(SHAPE + this.depths.length);
  }

  decode(bytes: Uint8Array): ServedTallies {
    const tallies = this.ofOthers();
    const { depths } = tallies;
    const from = new NumberReader(bytes, SHAPE + depths.length, 64 + 10 * (2 + depths.length));
    tallies.rows = from.number(0);
    tallies.named = from.number(0);
    for (let m = 0; m < depths.length; m++) depths[m] = from.number(0);
    from.finish();
    return tallies;
  }
}

/** What a row says of an arm: nothing, or whether its item stands in the arm's list while … */
export const ASIDE = 0;
/** … another model's list was the one served, */
export const HIDDEN_MISS = 1;
export const HIDDEN_HIT = 2;
/** … or the arm's own. */
export const SHOWN_MISS = 3;
export const SHOWN_HIT = 4;
/** So many kinds of rows. */
export const KINDS = 5;

/** What the causes of a window's positive rows come to. */
export interface ServedRows {
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
export function kindsOfRows(part: WindowPart, arm: number, depth: number, into: Uint8Array): void {
  const { rows, positive, causes } = part;
  into.fill(ASIDE, 0, rows);
  if (causes === undefined) return;
  const { served, cause } = causes;
  const [ranks, lists] = [part.ranks[arm], part.lists[arm]];
  for (let r = 0; r < rows; r++) {
    if (positive[r] === 0 || served[r] === 0 || cause[r] !== UNCAUSED) continue;
    if (ranks[r] === UNRANKED || (lists[r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
    const miss = served[r] === arm + 1 ? SHOWN_MISS : HIDDEN_MISS;
    into[r] = ranks[r] < depth ? miss + 1 : miss;
  }
}
