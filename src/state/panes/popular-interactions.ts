import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { isCapped, judgedBy, leavesOut, type PopularityRule } from '../counts/popularity-rule.js';
import { markIds } from '../ids/dictionaries.js';
import type { PaneTallies } from './pane-tallies.js';

/**
 * Cap on how many interactions of a user count in popularity within a bucket of event time.
 *
 *   counted(u) = min(cap, interactions of u in the bucket that would count)
 *
 * Those that come first, by event time, are the ones that count. Users' counts depend on their own
 * interactions alone, so on the log and not on partitions, batches or restarts. 4 bytes a user.
 *
 * @example
 * const cap = new UserCap(1, 60_000);
 * cap.begin(60_000);
 * cap.admits(7); // true
 * cap.admits(7); // false
 * cap.begin(120_000);
 * cap.admits(7); // true
 */
export class UserCap {
  readonly #most: number;
  readonly #bucketMs: number;
  /** Event time, ms. */
  #bucketEnd = Number.NEGATIVE_INFINITY;
  #counted = new Int32Array(0);

  /**
   * @param most at least 1. @param bucketMs a multiple of the pane; buckets are aligned to the epoch.
   */
  constructor(most: number, bucketMs: number) {
    this.#most = most;
    this.#bucketMs = bucketMs;
  }

  /** Goes on to the pane that ends at `paneEnd`, which never decreases. */
  begin(paneEnd: number): void {
    const end = Math.ceil(paneEnd / this.#bucketMs) * this.#bucketMs;
    if (end === this.#bucketEnd) return;
    this.#bucketEnd = end;
    this.#counted.fill(0);
  }

  /** Whether the user's next interaction counts; it has then been counted. */
  admits(user: number): boolean {
    if (user >= this.#counted.length) {
      this.#grow(user);
    }
    if (this.#counted[user] >= this.#most) return false;
    this.#counted[user]++;
    return true;
  }

  /** Sets the flags of the users that have a count. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#users());
  }

  write(to: BinaryWriter): void {
    const users = this.#users();
    to.number(this.#bucketEnd);
    to.column(users);
    to.column(users.map((user) => this.#counted[user]));
  }

  /** Takes back what was written; to be called before anything is counted. */
  read(from: BinaryReader): void {
    this.#bucketEnd = from.number();
    const users = from.int32();
    const counts = from.int32();
    users.forEach((user, j) => {
      if (user >= this.#counted.length) {
        this.#grow(user);
      }
      this.#counted[user] = counts[j];
    });
  }

  #users(): Int32Array {
    const counted = this.#counted;
    return Int32Array.from(counted.keys()).filter((user) => counted[user] > 0);
  }

  #grow(user: number): void {
    const counted = new Int32Array(Math.max(256, Math.ceil((user + 1) * 1.25)));
    counted.set(this.#counted);
    this.#counted = counted;
  }
}

/**
 * Which interactions of one partition's users are left out of the popularity of items although
 * they are of the kind that counts: those that shown lists caused, and those over a user's cap.
 * Interactions of randomised traffic that popularity ignores are counted apart and are not among
 * them.
 */
export class PopularInteractions {
  /** Whether any may be left out. */
  readonly isSelective: boolean;
  readonly #rule: PopularityRule;
  readonly #cap: UserCap | undefined;
  readonly #tallies: PaneTallies;

  /**
   * @param bucketMs a multiple of the pane, in which the cap holds. @param tallies that take what
   * is left out.
   */
  constructor(rule: PopularityRule, bucketMs: number, tallies: PaneTallies) {
    const { userCap = 0 } = rule;
    this.isSelective = leavesOut(rule);
    this.#rule = rule;
    this.#cap = isCapped(rule) ? new UserCap(userCap, bucketMs) : undefined;
    this.#tallies = tallies;
  }

  /** Goes on to the pane that ends at `paneEnd`. */
  begin(paneEnd: number): void {
    this.#cap?.begin(paneEnd);
  }

  /**
   * To be called for each interaction in its turn.
   *
   * @param flags with `RANDOMIZED` and `NAMES_EXPOSURE` as they are known to be.
   */
  take(user: number, item: number, flags: number): void {
    const judged = judgedBy(this.#rule, flags);
    if (judged === 'none') return;
    if (judged === 'counts' && this.admits(user)) return;
    if (judged === 'counts') {
      this.#tallies.overUserCap++;
    }
    this.#tallies.leftOut.add(item);
  }

  /** Whether one more interaction of the user is within the cap. */
  admits(user: number): boolean {
    return this.#cap === undefined || this.#cap.admits(user);
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    if (this.#cap !== undefined) {
      yield* this.#cap.markUsers(flags);
    }
  }

  write(to: BinaryWriter): void {
    this.#cap?.write(to);
  }

  /** Takes back what was written under the same rule. */
  read(from: BinaryReader): void {
    this.#cap?.read(from);
  }
}
