import {
  type InteractionColumns,
  LATE,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
} from '../../events/columns.js';
import { Tally } from '../counts/sparse-counts.js';
import type { Unplaced } from '../ids/heard-models.js';
import type { PaneCounts, SampledOut } from './pane-content.js';
import type { PendingExposures } from './pending-exposures.js';

/** Counters for a closing pane. Panes close one after another, so all partitions share them. */
export class PaneTallies {
  readonly positives = new Tally();
  readonly interactions = new Tally();
  readonly randomized = new Tally();
  readonly randomizedPositives = new Tally();
  readonly leftOut = new Tally();
  overUserCap = 0;
  readonly listed = new Tally();
  readonly users = new Tally();
  /** By user: number of randomised interactions. */
  readonly randomizedUsers = new Tally();
  /** Users with a randomised interaction, and users to whom a randomised list was shown. */
  readonly reached = new Tally();
  /** By user: number of items that randomised lists showed. */
  readonly shownAtRandom = new Tally();
  readonly #exposures: Tally[] = [];
  /** Number of lists by model. */
  #lists: number[] = [];
  readonly #countsRandomizedApart: boolean;

  /**
   * @param countsRandomizedApart whether positives of randomised traffic are also counted
   * separately.
   */
  constructor(countsRandomizedApart = false) {
    this.#countsRandomizedApart = countsRandomizedApart;
  }

  exposures(model: number): Tally {
    while (this.#exposures.length <= model) {
      this.#exposures.push(new Tally());
    }
    return this.#exposures[model];
  }

  /** Add to the number of lists of a model, without counting their items. */
  noteLists(model: number, lists: number): void {
    this.#lists[model] = (this.#lists[model] ?? 0) + lists;
  }

  /** Count an interaction, positive or not. */
  countInteraction(user: number, item: number, flags: number): void {
    this.interactions.add(item);
    this.users.add(user);
    if ((flags & POSITIVE) !== 0) {
      this.positives.add(item);
    }
  }

  /** Count an interaction as randomised if its own flag says so, without looking up its list. */
  countIfRandomized(
    { user, item, flags }: Pick<InteractionColumns, 'user' | 'item' | 'flags'>,
    r: number,
  ): void {
    if ((flags[r] & RANDOMIZED) !== 0) {
      this.countRandomized(user[r], item[r], flags[r]);
    }
  }

  countRandomized(user: number, item: number, flags: number): void {
    this.randomized.add(item);
    if (this.#countsRandomizedApart && (flags & POSITIVE) !== 0) {
      this.randomizedPositives.add(item);
    }
    this.randomizedUsers.add(user);
    this.reached.add(user);
  }

  countExposure({ user, model, flags, items, listStart }: PendingExposures, r: number): void {
    const from = listStart[r];
    const to = listStart[r + 1];
    const tally = isChance(flags[r]) ? this.exposures(model[r]) : this.listed;
    for (let at = from; at < to; at++) {
      tally.add(items[at]);
    }
    this.noteLists(model[r], 1);
    const reaches = (flags[r] & (SHOWN | RANDOMIZED | LATE)) === (SHOWN | RANDOMIZED);
    if (!reaches) return;
    this.reached.add(user[r]);
    this.shownAtRandom.addTimes(user[r], to - from);
  }

  /** Return the counts of items and lists, and reset them. */
  drain(unranked: number, sampledOut: SampledOut, unplaced: Unplaced): PaneCounts {
    const exposures = this.#exposures.map((tally) => tally.drain());
    exposures.forEach(({ ids }, model) => {
      if (ids.length > 0) {
        this.noteLists(model, 0);
      }
    });
    // In ascending order, since `Object.keys` sorts integer keys.
    const listing = Object.keys(this.#lists).map(Number);
    const lists = listing.map((model) => this.#lists[model]);
    this.#lists = [];
    const { overUserCap } = this;
    this.overUserCap = 0;
    return {
      positives: this.positives.drain(),
      interactions: this.interactions.drain(),
      randomized: this.randomized.drain(),
      randomizedPositives: this.randomizedPositives.drain(),
      leftOut: this.leftOut.drain(),
      overUserCap,
      exposures,
      listed: this.listed.drain(),
      listing,
      lists,
      unplaced,
      unranked,
      sampledOut,
    };
  }
}

/**
 * Whether a list with these flags counts as exposure by the policy: it was shown and is not
 * randomised. The exposure of randomised lists does not depend on popularity.
 */
export function isChance(flags: number): boolean {
  return (flags & (SHOWN | RANDOMIZED)) === SHOWN;
}
