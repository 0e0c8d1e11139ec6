import { UnskewError } from '../../../src/errors.js';
import type { CheckpointStore } from '../../../src/stream/ports.js';
import { type Cable, Gate, Link } from './link.js';
import { type Broken, WatchedStore } from './watched-store.js';

/**
 * What is wrong with the store: it stands still; it does nothing and says so; it does what it is
 * asked for and says that it did not; it answers late, at times when nobody waits any more; it has
 * no room for what is large, which only checkpoints are.
 */
export type StoreFault = 'stands-still' | 'refuses' | 'denies' | 'is-slow' | 'is-full';

/** As the client of Redis has it. */
const TIMEOUT_MS = 5_000;
const SLOWEST_MS = 8_000;

/** One store of checkpoints and panes for all workers, and what is wrong with it. */
export class SharedStore {
  readonly checkpoints: WatchedStore;
  readonly #stillness = new Gate();
  readonly #random: () => number;
  readonly #faults: StoreFault[] = [];

  constructor(random: () => number, broken: Broken) {
    this.#random = random;
    this.checkpoints = new WatchedStore(broken);
  }

  /** @returns what repairs it */
  break(fault: StoreFault): () => void {
    if (fault === 'stands-still') return this.#stillness.close();
    this.#faults.push(fault);
    return () => {
      this.#faults.splice(this.#faults.indexOf(fault), 1);
    };
  }

  /** By connections of their own, as each worker has them. */
  connect(cable: Cable): CheckpointStore {
    const [first, second] = [0, 1].map(() => new Link(cable, TIMEOUT_MS)) as [Link, Link];
    const load: CheckpointStore['load'] = (partition) => this.#load(second, partition);
    const save: CheckpointStore['save'] = (...args) =>
      this.#ask(first, async () => {
        if (this.#faults.at(-1) === 'is-full') throw new Error('OOM');
        return this.checkpoints.save(...args);
      });
    return this.#through<CheckpointStore>(this.checkpoints, first, { load, save });
  }

  async *#load(link: Link, partition: number): AsyncIterable<Uint8Array> {
    yield* await this.#ask(link, async () => {
      const all: Uint8Array[] = [];
      for await (const bytes of this.checkpoints.load(partition)) all.push(bytes);
      return all;
    });
  }

  #through<Port extends object>(port: Port, link: Link, own: Partial<Port>): Port {
    return new Proxy(port, {
      get: (target, name) => {
        if (name in own) return own[name as keyof Port];
        const method = target[name as keyof Port];
        // What a port need not have, this one has not.
        if (typeof method !== 'function') return undefined;
        return (...args: unknown[]) => this.#ask(link, () => method.apply(target, args));
      },
    });
  }

  async #ask<T>(link: Link, call: () => Promise<T>): Promise<T> {
    try {
      return await link.ask(() => this.#serve(call));
    } catch (cause) {
      throw new UnskewError('STATE', `${cause}`, { cause });
    }
  }

  async #serve<T>(call: () => Promise<T>): Promise<T> {
    await this.#stillness.pass();
    const fault = this.#faults.at(-1);
    if (fault === 'refuses') throw new Error('LOADING');
    const answer = await call();
    if (fault === 'denies') throw new Error('connection reset');
    const slowMs = fault === 'is-slow' ? this.#random() * SLOWEST_MS : 0;
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    return answer;
  }
}
