import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import type { NightClock, NightSchedule } from '../export/night-ports.js';

/** @throws RangeError or TypeError for an invalid expression or zone. */
export class CronSchedule implements NightSchedule {
  readonly #cron: Cron;

  /** @throws RangeError or TypeError for an expression or a zone that is none. */
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

/** Longest timer, so that changes of the clock are noticed, ms. */
const LONGEST_WAIT_MS = 60_000;

/** The system clock. */
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
