import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import type { NightClock, NightSchedule } from '../export/night-ports.js';

/** Schedule of nightly runs: a cron expression, evaluated in a time zone. */
export class CronSchedule implements NightSchedule {
  readonly #cron: Cron;

  /** @throws RangeError or TypeError for an invalid cron expression or time zone. */
  constructor(expression: string, timezone: string) {
    this.#cron = new Cron(expression, {
      timezone,
      paused: true,
    });
  }

  next(afterMs: number): number {
    return this.#cron.nextRun(new Date(afterMs))?.getTime() ?? Number.POSITIVE_INFINITY;
  }
}

/**
 * Longest single timer, ms. The caller reads the clock after each timer, so it notices changes of
 * the clock.
 */
const LONGEST_WAIT_MS = 60_000;

/** The system clock. Its waits end after at most one minute, even if a longer one is requested. */
export const WALL_CLOCK: NightClock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    const length = Math.min(ms, LONGEST_WAIT_MS);
    await sleep(length, undefined, {
      signal,
      ref: false,
    }).catch(() => {});
  },
};
