import { firstValueFrom, fromEvent, race, timer } from 'rxjs';
import type { RecordBatch } from '../ports.js';
import type { IdlePartitions } from './idle-partitions.js';
import type { LogClock } from './log-clock.js';

/** How long a batch is kept before it is asked for again: its partition is released by then. */
const HELD_MS = 500;

/**
 * Holds back what only a clock that is behind would have refused, for as long as the log says so.
 * That may be the word of one producer, where nobody else writes: to wait costs less than to refuse
 * what was right.
 */
export class ClockGate {
  readonly #clock: LogClock | undefined;
  readonly #stopping: AbortSignal;

  constructor(clock: LogClock | undefined, stopping: AbortSignal) {
    this.#clock = clock;
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
    clock.hear(batch, idle.wasJustAtEnd(role, partition));
    if (!clock.wrongs(batch, now)) return false;
    await firstValueFrom(race(timer(HELD_MS), fromEvent(this.#stopping, 'abort')));
    return true;
  }
}
