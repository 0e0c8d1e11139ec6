import type { ActionWorths } from '../../../events/action-worths.js';
import { LATE, NAMES_EXPOSURE, POSITIVE, RANDOMIZED, SHOWN } from '../../../events/columns.js';
import type { ListStore } from '../lists/lists.js';
import type { PendingExposures } from '../open/pending-exposures.js';
import type { PendingInteractions } from '../open/pending-interactions.js';
import { LISTED_ELSEWHERE, type ServedLists, ServedListsBuilder } from './served-lists.js';

/**
 * Notes the lists of a closing pane that were shown, and what came of lists by its positive
 * interactions. Of each item of a list the action that is worth most counts, once: a second click
 * adds nothing, and a purchase after a click what it is worth more.
 */
export class ServedTally {
  readonly #worths: ActionWorths;
  readonly #lists: ListStore;
  readonly #served = new ServedListsBuilder();

  constructor(worths: ActionWorths, lists: ListStore) {
    this.#worths = worths;
    this.#lists = lists;
  }

  /** Late lists and those that were not shown are passed over. */
  expose({ flags, user, model, ts }: PendingExposures, r: number): void {
    if ((flags[r] & (SHOWN | LATE)) !== SHOWN) return;
    this.#served.list(user[r], model[r], (flags[r] & RANDOMIZED) !== 0, ts[r]);
  }

  /** An interaction that is not late, after the lists before it. */
  credit(from: PendingInteractions, r: number): void {
    const named = POSITIVE | NAMES_EXPOSURE;
    if ((from.flags[r] & named) !== named) return;
    const { worths } = this.#worths;
    // Pending interactions have the code plus one.
    const own = this.#worths.classOf((from.action[r] ?? 0) - 1);
    const { user, item, exposureHigh, exposureLow, ts } = from;
    const lists = this.#lists;
    const asked = [exposureHigh[r], exposureLow[r], user[r], item[r], ts[r]] as const;
    const before = lists.credit(...asked, own);
    if (before === HIDDEN) return;
    if (before === UNKNOWN) {
      this.#served.reward(user[r], LISTED_ELSEWHERE, false, ts[r], worths[own]);
      return;
    }
    if (own <= before) return;
    const more = worths[own] - worths[before];
    this.#served.reward(user[r], lists.creditedModel, lists.isRandomized, lists.ts, more);
  }

  /** Undefined without any. */
  build(): ServedLists | undefined {
    return this.#served.build();
  }
}

/** What `ListStore.credit` says of a list that is not known, and of one that was not shown. */
const UNKNOWN = -1;
const HIDDEN = -2;
