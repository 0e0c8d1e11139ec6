import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { isCapped, judgedBy, leavesOut, type PopularityRule } from '../counts/popularity-rule.js';
import { markIds } from '../ids/dictionaries.js';
import type { PaneTallies } from './pane-tallies.js';

/**
 * Cap on how many interactions of a user count in popularity within a bucket of event time.
 *
 *   counted(u) = min(cap, interactions of u in the bucket that are of the counted kind)
 *
 * The earliest interactions of a bucket count. A user's count depends on the user's own
 * interactions only, not on partitions, batches or restarts. 4 bytes per user.
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
  /** End of the current bucket, event time, ms. */
  #bucketEnd = Number.NEGATIVE_INFINITY;
  #counted = new Int32Array(0);

  /**
   * @param most cap, at least 1. @param bucketMs a multiple of the pane's length; buckets are
   * aligned to the epoch.
   */
  constructor(most: number, bucketMs: number) {
    this.#most = most;
    this.#bucketMs = bucketMs;
  }

  /** Advance to the pane that ends at `paneEnd`, which must not decrease. */
  begin(paneEnd: number): void {
    const end = Math.ceil(paneEnd / this.#bucketMs) * this.#bucketMs;
    if (end === this.#bucketEnd) return;
    this.#bucketEnd = end;
    this.#counted.fill(0);
  }

  /** Count the user's next interaction; @returns whether it is within the cap. */
  admits(user: number): boolean {
    if (user >= this.#counted.length) {
      this.#grow(user);
    }
    if (this.#counted[user] >= this.#most) return false;
    this.#counted[user]++;
    return true;
  }

  /** Mark the users with a count as in use: flags[user] = 1. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#users());
  }

  write(to: BinaryWriter): void {
    const users = this.#users();
    to.number(this.#bucketEnd);
    to.column(users);
    to.column(users.map((user) => this.#counted[user]));
  }

  /** Read stored counts, before anything is counted. */
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
 * Counts the interactions that the popularity of items excludes, although they are of the counted
 * kind: those driven by shown lists, and those over a user's cap. Randomised interactions that the
 * rule ignores are counted elsewhere, not here.
 */
export class PopularInteractions {
  /** Whether the rule can exclude any interactions. */
  readonly isSelective: boolean;
  readonly #rule: PopularityRule;
  readonly #cap: UserCap | undefined;
  readonly #tallies: PaneTallies;

  /**
   * @param bucketMs length of the cap's buckets, a multiple of the pane's length. @param tallies
   * counters of excluded interactions.
   */
  constructor(rule: PopularityRule, bucketMs: number, tallies: PaneTallies) {
    const { userCap = 0 } = rule;
    this.isSelective = leavesOut(rule);
    this.#rule = rule;
    this.#cap = isCapped(rule) ? new UserCap(userCap, bucketMs) : undefined;
    this.#tallies = tallies;
  }

  /** Advance to the pane that ends at `paneEnd`. */
  begin(paneEnd: number): void {
    this.#cap?.begin(paneEnd);
  }

  /**
   * Count an interaction as excluded if the rule or its user's cap excludes it. Interactions must
   * be given in order of event time.
   *
   * @param flags including the final `RANDOMIZED` and `NAMES_EXPOSURE`.
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

  /** Count the user's next interaction against the cap; @returns whether it is within the cap. */
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

  /** Read counts stored under the same rule. */
  read(from: BinaryReader): void {
    this.#cap?.read(from);
  }
}
