import { UnskewError } from '../../src/errors.js';
import type { CheckpointStore, SumsLog } from '../../src/stream/ports.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { MemorySumsLog } from './memory-sums-log.js';

/** As the client of Redis has it. */
const TIMEOUT_MS = 5_000;
const LONGEST_MS = 40;

interface Connection {
  readonly queue: (() => Promise<void>)[];
  isBusy: boolean;
  /** Its own end stands still. */
  isHeld: boolean;
}

/** What one worker has of the store, by connections of its own. */
export interface Connected {
  readonly store: CheckpointStore;
  readonly sums: SumsLog;
  /** The worker stands still: nothing more is sent until it goes on. */
  hold(isHeld: boolean): void;
}

/**
 * A store that stands still at times. When it goes on, it does what was sent meanwhile, also what the
 * sender no longer waits for: in the order of each connection, and of connections in any order.
 */
export class FrozenStore {
  readonly store = new MemoryCheckpointStore();
  /** Another server: it does not stand still with the store. */
  readonly sums = new MemorySumsLog();
  readonly #random: () => number;
  readonly #connections: Connection[] = [];
  #isFrozen = false;
  #isSlow = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Answers at once until then: so workers start in no time. */
  begin(): void {
    this.#isSlow = true;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const connection of this.#connections) void this.#work(connection);
  }

  connect(): Connected {
    const connections = Array.from({ length: 2 }, (): Connection => {
      return { queue: [], isBusy: false, isHeld: false };
    });
    this.#connections.push(...connections);
    const [first, second] = connections as [Connection, Connection];
    return {
      store: this.#proxy<CheckpointStore>(this.store, first, { load: this.#loading(second) }),
      sums: this.sums,
      hold: (isHeld) => {
        for (const connection of connections) {
          connection.isHeld = isHeld;
          void this.#work(connection);
        }
      },
    };
  }

  #proxy<Port extends object>(port: Port, connection: Connection, own: Partial<Port>): Port {
    return new Proxy(port, {
      get: (target, name) => {
        if (name in own) return own[name as keyof Port];
        const method = target[name as keyof Port] as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => this.#send(connection, () => method.apply(target, args));
      },
    });
  }

  #loading(connection: Connection): CheckpointStore['load'] {
    const kept = async (partition: number) => {
      const all: Uint8Array[] = [];
      for await (const bytes of this.store.load(partition)) all.push(bytes);
      return all;
    };
    const send = (partition: number) => this.#send(connection, () => kept(partition));
    return async function* (partition) {
      yield* await send(partition);
    };
  }

  #send<T>(connection: Connection, call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const enough = setTimeout(() => reject(new UnskewError('STATE', 'no answer')), TIMEOUT_MS);
      connection.queue.push(async () => {
        await call().then(resolve, reject);
        clearTimeout(enough);
      });
      void this.#work(connection);
    });
  }

  async #work(connection: Connection): Promise<void> {
    if (connection.isBusy) return;
    connection.isBusy = true;
    while (connection.queue.length > 0 && !this.#isFrozen && !connection.isHeld) {
      if (this.#isSlow) await sleep(this.#random() * LONGEST_MS);
      if (!this.#isFrozen && !connection.isHeld) await connection.queue.shift()!();
    }
    connection.isBusy = false;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
