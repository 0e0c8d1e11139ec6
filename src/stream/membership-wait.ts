/**
 * Whether the others of a group are alive. A worker that has died is counted as one of it until its
 * session ends, so what a new member is given may be a part of what it will have a moment later.
 *
 * The broker confirms a membership only while the group stays as it is. One that is confirmed after
 * the sessions of all others would have ended without a sign of life has others that live. The first
 * answer after that time may have been on its way for a while; the second was asked for after it.
 *
 * @example
 * let now = 0;
 * const wait = new MembershipWait(6000, () => now);
 * wait.begin();
 * wait.confirmed(); // false
 * now = 6000;
 * wait.confirmed(); // false
 * wait.confirmed(); // true
 */
export class MembershipWait {
  readonly #sessionTimeoutMs: number;
  readonly #elapsed: () => number;
  #since = Number.POSITIVE_INFINITY;
  #wasOver = false;

  /** @param elapsed any clock that runs evenly, ms */
  constructor(sessionTimeoutMs: number, elapsed: () => number) {
    this.#sessionTimeoutMs = sessionTimeoutMs;
    this.#elapsed = elapsed;
  }

  /** The group has said what is whose. */
  begin(): void {
    this.#since = this.#elapsed();
    this.#wasOver = false;
  }

  /** The group has said that this still holds; @returns whether the others live */
  confirmed(): boolean {
    const before = this.#wasOver;
    this.#wasOver = this.#elapsed() - this.#since >= this.#sessionTimeoutMs;
    return before && this.#wasOver;
  }
}
