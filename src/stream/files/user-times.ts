/** Least number and share of recent users who must have reached a time before it counts. */
const LEAST_USERS = 3;
const SHARE = 0.02;
/** Number of events in a block for counting recent users. */
const BLOCK = 1024;

/**
 * Progress of event time in a log without receive times: the newest time that three users (or all,
 * if there are fewer), and two per cent of the recent users, have reached. So one per cent of users
 * with fast clocks have no effect. It never decreases.
 *
 * Recent users are those of the last 1,024 to 2,047 events. Before that their number is unknown,
 * and each event counts as another user: 21 must reach a time.
 */
export class UserTimes {
  #reached = Number.NEGATIVE_INFINITY;
  /** The newest times of users ahead of it, ms. */
  readonly #ahead = new Map<number, number>();
  #recent = new Set<number>();
  #events = 0;
  #usersBefore = BLOCK;

  /** Add an event of a user. @returns the time reached, ms */
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

  /** @param users number of recent users */
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
