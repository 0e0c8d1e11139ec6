import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent } from '../../src/events/encode.js';
import type { KafkaHarness } from '../contract/kafka-harness.js';
import { type Event, roleOf } from './log.js';

export const PARTITIONS = 4;
const PACE_MS = 40;

/** Where the events of a user are. */
export const partitionOf = (user: string): number => Number(user.slice(1)) % PARTITIONS;

/**
 * Producers that continue even if readers fail. Their wall clock waits for a write that
 * is under way, so what it has passed is in the log, however slow the machine is.
 */
export class SteadyTraffic {
  readonly written: Event[] = [];
  readonly #harness: KafkaHarness;
  readonly #aheadMs: number;
  readonly #underWay = new Set<Event>();
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(harness: KafkaHarness, aheadMs: number) {
    this.#harness = harness;
    this.#aheadMs = aheadMs;
  }

  /** The wall clock of all who read, ms. */
  readonly now = (): number => {
    const times = Array.from(this.#underWay, ({ ts }) => Number(ts) - this.#aheadMs);
    return Math.min(Date.now(), ...times);
  };

  start(): void {
    const all = Array.from({ length: PARTITIONS }, (_, partition) => this.#write(partition));
    this.#running = Promise.all(all);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #write(partition: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const event = this.#event(this.written.length, partition);
      this.written.push(event);
      this.#underWay.add(event);
      await this.#harness.produce(roleOf(event), partition, [encodeEvent(event)]);
      this.#underWay.delete(event);
      await sleep(PACE_MS);
    }
  }

  /** Each user sees lists of both models, and clicks in them. */
  #event(n: number, partition: number): Event {
    const user = `u${partition + PARTITIONS * (Math.floor(n / 24) % 3)}`;
    const ts = Date.now() + this.#aheadMs;
    const items = ['abc', 'cab', 'dba'][Math.floor(n / 3) % 3]!.split('');
    return n % 3 === 0
      ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${Math.floor(n / 3) % 2}`, items }
      : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcd'[Math.floor(n / 5) % 4]! };
  }
}
