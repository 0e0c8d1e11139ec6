import { firstValueFrom, fromEvent, race, timer } from 'rxjs';
import type { RecordBatch } from '../ports.js';
import type { IdlePartitions } from './idle-partitions.js';
import type { LogClock } from './log-clock.js';

/** How long a batch is kept before it is asked for again: its partition is released by then. */
const HELD_MS = 500;
/** How long others may take to say whether it is the clock or the one producer that was heard. */
const DOUBT_MS = 60_000;

/** Holds back what only a clock that is behind would have refused, for as long as it is. */
export class ClockGate {
  readonly #clock: LogClock | undefined;
  readonly #elapsed: () => number;
  readonly #stopping: AbortSignal;
  readonly #heldSince = new Map<string, number>();

  constructor(clock: LogClock | undefined, elapsed: () => number, stopping: AbortSignal) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#stopping = stopping;
  }

  /**
   * Whether a batch has to come once more, after a while.
   *
   * @param now the wall clock, ms; what passes is judged by this reading of it, whenever it is taken
   */
  async holds(batch: RecordBatch, idle: IdlePartitions, now: number): Promise<boolean> {
    const clock = this.#clock;
    if (clock === undefined || this.#stopping.aborted) return false;
    const { role, partition } = batch;
    const key = `${role}/${partition}`;
    clock.hear(batch, idle.hasReachedEnd(role, partition));
    if (!clock.wrongs(batch, now)) {
      this.#heldSince.delete(key);
      return false;
    }
    const since = this.#heldSince.get(key) ?? this.#elapsed();
    this.#heldSince.set(key, since);
    if (clock.isInDoubt && this.#elapsed() - since >= DOUBT_MS) return false;
    await firstValueFrom(race(timer(HELD_MS), fromEvent(this.#stopping, 'abort')));
    return true;
  }
}
