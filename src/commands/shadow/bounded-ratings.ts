import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Interner } from '../../state/ids/interner.js';
import { UserDepths } from '../../state/ids/user-depths.js';
import { depthCounts, levelWithin } from '../../state/panes/sample-level.js';
import { runAtOnce } from '../../stream/sliced.js';
import { type RatingData, RatingLog } from '../training/rating-log.js';

/** Users who are not kept are forgotten where there are more of them than this. */
const FORGET_FROM = 4096;

export interface RatingBounds {
  /** Range of event time, from ≤ ts < to, ms. */
  readonly from: number;
  readonly to: number;
  /** Interactions that are kept at most. */
  readonly most: number;
  /** Items that are known at most. */
  readonly items: number;
}

/**
 * Interactions of a range, no more than a bound: when there would be more, users are sampled by a
 * hash of their ids, the same ones in every reading of the same log.
 *
 *   level = min { k : interactions of users of depth ≥ k are within the bound }
 *
 * Memory is 58 bytes for each interaction, twice while the bound is passed, and the ids.
 */
export class BoundedRatings {
  readonly users = new Interner();
  readonly items: Interner;
  /** Interactions of the range, with those that are not kept. */
  inRange = 0;
  readonly #bounds: RatingBounds;
  readonly #depths = new UserDepths(this.users);
  #kept = new InteractionColumns();
  #level = 0;
  #usersAfter = 0;

  constructor(bounds: RatingBounds) {
    this.#bounds = bounds;
    this.items = new Interner(bounds.items);
  }

  /** How deep users have to lie to be learned from; 0 where all are. */
  get level(): number {
    return this.#level;
  }

  /** Takes in what was decoded with these ids. */
  take(columns: InteractionColumns): void {
    const { from, to, most } = this.#bounds;
    const rows: number[] = [];
    for (let r = 0; r < columns.length; r++) {
      if (columns.ts[r] < from || columns.ts[r] >= to) continue;
      this.inRange++;
      if (this.#level === 0 || this.#depths.of(columns.user[r]) >= this.#level) rows.push(r);
    }
    this.#kept.addRows(columns, Int32Array.from(rows));
    if (this.#kept.length > most) this.#rise();
    if (this.users.known > 2 * this.#usersAfter + FORGET_FROM) this.#forgetUsers();
  }

  /** What was kept as ratings. */
  data(actions: Readonly<Record<string, number>>): RatingData {
    const log = new RatingLog({ users: this.users, items: this.items }, actions);
    log.take(this.#kept, new ExposureColumns(1, 1));
    return log.data('rated');
  }

  #rise(): void {
    const counts = depthCounts();
    const { user, length } = this.#kept;
    for (let r = 0; r < length; r++) counts[this.#depths.of(user[r])]++;
    this.#level = levelWithin(counts, this.#bounds.most);
    const rows = new Int32Array(length);
    let size = 0;
    for (let r = 0; r < length; r++) if (this.#depths.of(user[r]) >= this.#level) rows[size++] = r;
    const kept = new InteractionColumns(Math.max(1024, size));
    kept.addRows(this.#kept, rows.subarray(0, size));
    this.#kept = kept;
    this.#forgetUsers();
  }

  #forgetUsers(): void {
    const flags = this.users.mark();
    for (let r = 0; r < this.#kept.length; r++) flags[this.#kept.user[r]] = 1;
    runAtOnce(this.users.sweep());
    this.#usersAfter = this.users.known;
  }
}
