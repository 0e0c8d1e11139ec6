import { setImmediate as nextTurn } from 'node:timers/promises';
import { UnskewError } from '../../src/errors.js';
import type { NightClock, NightObserver, NightOrder } from '../../src/export/night-ports.js';
import type { SetDraft, SetStorage } from '../../src/export/ports.js';

/** A clock that stands still until the test moves it. */
export class TestClock implements NightClock {
  #now: number;
  #waiting: { at: number; wake: () => void }[] = [];

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.push({ at: this.#now + ms, wake });
      signal.addEventListener('abort', wake);
    });
  }

  /** Goes on to a time, waking who waits for one on the way, in order. */
  async until(time: string): Promise<void> {
    const end = Date.parse(time);
    await settled();
    for (;;) {
      const [first] = this.#waiting.sort((a, b) => a.at - b.at);
      if (first === undefined || first.at > end) break;
      this.#waiting.shift();
      this.#now = Math.max(this.#now, first.at);
      first.wake();
      await settled();
    }
    this.#now = end;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

/** Sets that are but names. */
export class NamedSets implements SetStorage {
  readonly place = 'memory';
  readonly names = new Set<string>();

  async list(): Promise<string[]> {
    return [...this.names].sort();
  }

  create(): Promise<SetDraft> {
    throw new UnskewError('SET', 'nothing is written here');
  }

  read(): AsyncIterable<Uint8Array> {
    throw new UnskewError('FILE', 'nothing is read here');
  }

  async remove(name: string): Promise<void> {
    this.names.delete(name);
  }
}

/** What was reported, in a few words each. */
export class Told implements NightObserver {
  readonly lines: string[] = [];

  ended(outcome: 'made' | 'failed', { name }: NightOrder): void {
    this.lines.push(`${outcome} ${name}`);
  }

  attemptFailed({ name }: NightOrder, attempt: number, error: unknown): void {
    this.lines.push(`attempt ${attempt} of ${name}: ${(error as Error).message}`);
  }

  troubled(what: string, error: unknown): void {
    this.lines.push(`${what}: ${(error as Error).message}`);
  }
}
