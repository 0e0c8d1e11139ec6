/**
 * Number of users who must have reached a time before it counts, beside a share of the recent ones.
 */
const LEAST_USERS = 3;
const SHARE = 0.02;
/** Users are counted among so many events. */
const BLOCK = 1024;

/**
 * How far event time has come in a log that does not say when its events were received: the newest time
 * that three users (or all, if there are fewer), and two per cent of the recent users, have reached. So one per cent of clocks
 * that are ahead move time for nobody else. It never goes back.
 *
 * Recent users are those of the last 1,024 to 2,047 events. Before that nobody knows how many there
 * are, and each event is taken for one of another user: 21 have to come to a time.
 */
export class UserTimes {
  #reached = Number.NEGATIVE_INFINITY;
  /** Of the users who are ahead of it: the newest time of each, ms. */
  readonly #ahead = new Map<number, number>();
  #recent = new Set<number>();
  #events = 0;
  #usersBefore = BLOCK;

  /** Takes an event of a user at a time in ms. @returns the time that was reached, ms */
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

  /** @param users how many recent ones there are */
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
