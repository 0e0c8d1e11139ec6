import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { isCapped, judgedBy, leavesOut, type PopularityRule } from '../counts/popularity-rule.js';
import { UserCap } from '../counts/user-cap.js';
import type { PaneTallies } from './pane-tallies.js';

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
    if (judged === 'counts') this.#tallies.overUserCap++;
    this.#tallies.leftOut.add(item);
  }

  /** Whether one more interaction of the user is within the cap. */
  admits(user: number): boolean {
    return this.#cap === undefined || this.#cap.admits(user);
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    if (this.#cap !== undefined) yield* this.#cap.markUsers(flags);
  }

  write(to: BinaryWriter): void {
    this.#cap?.write(to);
  }

  /** Takes back what was written under the same rule. */
  read(from: BinaryReader): void {
    this.#cap?.read(from);
  }
}
