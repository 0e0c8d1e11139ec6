/** Least number of recent users who must have reached a time before progress advances to it. */
const LEAST_USERS = 3;
/**
 * Least fraction of the recent users who must have reached a time before progress advances to it.
 */
const SHARE = 0.02;
/** Number of events in a block, from which the number of recent users is counted. */
const BLOCK = 1024;

/**
 * Tracks how far event time has advanced in a log without receive times: up to the newest time that
 * enough users have reached. Enough means at least three users (all, if there are fewer) and at
 * least 2 % of the recent users, so 1 % of users with fast clocks have no effect. The time never
 * decreases.
 *
 * Recent users are those of the last 1,024 to 2,047 events. During the first block their number is
 * unknown and taken as 1,024, so 21 users must reach a time.
 */
export class UserTimes {
  /** Time reached so far, ms. */
  #reached = Number.NEGATIVE_INFINITY;
  /** Newest event time of each user who is ahead of the time reached, ms. */
  readonly #ahead = new Map<number, number>();
  #recent = new Set<number>();
  #events = 0;
  #usersBefore = BLOCK;

  /**
   * Add an event of a user.
   *
   * @returns the time reached, ms
   */
  note(user: number, ts: number): number {
    this.#recent.add(user);
    this.#events++;
    if (this.#events === BLOCK) {
      this.#usersBefore = this.#recent.size;
      this.#recent = new Set();
      this.#events = 0;
    }
    if (ts <= (this.#ahead.get(user) ?? this.#reached)) return this.#reached;
    this.#ahead.set(user, ts);
    this.#reach(Math.max(this.#usersBefore, this.#recent.size));
    return this.#reached;
  }

  /**
   * Advance the time reached if enough users are ahead.
   *
   * @param users number of recent users
   */
  #reach(users: number): void {
    const needed = Math.max(Math.min(LEAST_USERS, users), Math.ceil(SHARE * users));
    if (this.#ahead.size < needed) return;
    const times = Float64Array.from(this.#ahead.values()).sort();
    this.#reached = times[times.length - needed];
    for (const [user, ts] of this.#ahead) {
      if (ts <= this.#reached) {
        this.#ahead.delete(user);
      }
    }
  }
}
