import { openSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a program, it writes down how long the turns of its main thread took:
 * `node --import turns.mjs`, with the path of a file in TURNS.
 *
 * A timer of 1 ms fires in every turn that is longer, so that what the thread took of the processor
 * between two of them is no less than the longest turn, collections of garbage by this thread
 * included. That is not longer for what other processes take. Linux accounts for it at each of its
 * ticks; so a turn is also held to the time that passed.
 */
const path = process.env.TURNS;
const LEAST_MS = 5;
const WRITE_EVERY_MS = 1_000;

if (path !== undefined && isMainThread) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`);
  const buffer = Buffer.alloc(64);
  const usedMs = () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number.parseInt(buffer.latin1Slice(0, length), 10) / 1e6;
  };
  /** @type {{at: number, ms: number}[]} */
  const turns = [];
  let used = usedMs();
  let passed = performance.now();
  let written = 0;
  setInterval(() => {
    const nowUsed = usedMs();
    const now = performance.now();
    const ms = Math.min(nowUsed - used, now - passed);
    if (ms >= LEAST_MS) turns.push({ at: Date.now(), ms });
    if (now - written >= WRITE_EVERY_MS) {
      writeFileSync(path, JSON.stringify(turns));
      written = now;
    }
    // What this took itself is in no turn.
    [used, passed] = [usedMs(), performance.now()];
  }, 1).unref();
}
