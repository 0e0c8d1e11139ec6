import { type Miscalibration, miscalibration } from './miscalibration.js';

/** A user’s profile and one model’s list for that user, as counts. */
export interface UserLists {
  /** Positives before the window by group: head, middle, tail. All 0: without a profile. */
  readonly profile: readonly [number, number, number];
  /** Σ n over the profile’s rows, n the popularity of each item. */
  readonly profilePopularity: number;
  /** Items that were shown by group; some above 0. */
  readonly list: readonly [number, number, number];
  /** Σ n over the items of the list. */
  readonly listPopularity: number;
  /** Items of the list outside of the 80 % head. */
  readonly longTail: number;
}

/** What a model’s lists do to groups of items, over some users. */
export interface ListGroups {
  /** Users with a list. */
  readonly users: number;
  /** Exposure shares Σ N_g / Σ N of head, middle and tail. */
  readonly exposure: readonly [number, number, number];
  /** ARP: mean popularity of a list’s items, then the mean over users; and over all places. */
  readonly popularity: { readonly user: number; readonly pooled: number };
  /**
   * How much more popular lists are than profiles, as a share; of users with a profile. `group`:
   * mean ARP / mean GAP − 1; `user`: the mean of ARP_u / GAP_u − 1; `pooled`: over all places and rows.
   */
  readonly lift: { readonly group: number; readonly user: number; readonly pooled: number };
  /** APLT and ACLT: share and number of a list’s items outside of the 80 % head. */
  readonly longTail: { readonly share: number; readonly count: number };
  /** Over users with a profile, and of all their profiles against all their lists. */
  readonly miscalibration: { readonly user: Miscalibration; readonly pooled: Miscalibration };
}

/**
 * Sums of what lists do to groups, one user at a time; sums of other users add up.
 *
 * Source: Abdollahpouri et al. 2019, The unfairness of popularity bias in recommendation (GAP, lift);
 * Abdollahpouri, Burke & Mobasher 2019, Managing popularity bias (ARP, APLT, ACLT); Steck 2018.
 *
 * @example
 * const sums = new ListGroupSums();
 * const user = { profile: [1, 1, 0], profilePopularity: 13, list: [1, 2, 0], listPopularity: 16, longTail: 0 };
 * sums.add(user);
 * sums.groups().popularity.user; // 5.333333333333333
 */
export class ListGroupSums {
  #users = 0;
  #profiled = 0;
  readonly #list = [0, 0, 0];
  #listPopularity = 0;
  #meanPopularity = 0;
  #longShare = 0;
  #longCount = 0;
  // Of users with a profile.
  readonly #profile = [0, 0, 0];
  readonly #theirList = [0, 0, 0];
  #profilePopularity = 0;
  #theirListPopularity = 0;
  #meanArp = 0;
  #meanGap = 0;
  #lift = 0;
  readonly #far = { kl: 0, js: 0, hellinger: 0 };

  /** Takes in a user with a list of at least one item. */
  add({ profile, profilePopularity, list, listPopularity, longTail }: UserLists): void {
    const length = list[0] + list[1] + list[2];
    const arp = listPopularity / length;
    this.#users++;
    for (let g = 0; g < 3; g++) this.#list[g] += list[g];
    this.#listPopularity += listPopularity;
    this.#meanPopularity += arp;
    this.#longShare += longTail / length;
    this.#longCount += longTail;
    const rows = profile[0] + profile[1] + profile[2];
    if (rows === 0) return;
    const gap = profilePopularity / rows;
    this.#profiled++;
    for (let g = 0; g < 3; g++) {
      this.#profile[g] += profile[g];
      this.#theirList[g] += list[g];
    }
    this.#profilePopularity += profilePopularity;
    this.#theirListPopularity += listPopularity;
    this.#meanArp += arp;
    this.#meanGap += gap;
    this.#lift += arp / gap - 1;
    const far = miscalibration(profile, list);
    this.#far.kl += far.kl;
    this.#far.js += far.js;
    this.#far.hellinger += far.hellinger;
  }

  groups(): ListGroups {
    const places = this.#list[0] + this.#list[1] + this.#list[2];
    const theirPlaces = this.#theirList[0] + this.#theirList[1] + this.#theirList[2];
    const rows = this.#profile[0] + this.#profile[1] + this.#profile[2];
    const [head, middle, tail] = this.#list;
    const pooledList = this.#theirListPopularity / theirPlaces;
    const { kl, js, hellinger } = this.#far;
    const n = this.#profiled;
    return {
      users: this.#users,
      exposure: [head / places, middle / places, tail / places],
      popularity: {
        user: this.#meanPopularity / this.#users,
        pooled: this.#listPopularity / places,
      },
      lift: {
        group: this.#meanArp / this.#meanGap - 1,
        user: this.#lift / n,
        pooled: pooledList / (this.#profilePopularity / rows) - 1,
      },
      longTail: { share: this.#longShare / this.#users, count: this.#longCount / this.#users },
      miscalibration: {
        user: { kl: kl / n, js: js / n, hellinger: hellinger / n },
        pooled: miscalibration(this.#profile, this.#theirList),
      },
    };
  }
}
