import { encodeEvent } from '../../../src/events/encode.js';
import type { TopicRole } from '../../../src/stream/ports.js';
import { type Event, partitionOf } from '../log.js';

export const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

interface Queue {
  readonly role: TopicRole;
  readonly partition: number;
  readonly values: Uint8Array[];
  readonly recordTs: number[];
  newest: number;
}

interface GrowingLogOptions {
  readonly partitions: number;
  readonly latenessMs: number;
  readonly maxFutureMs: number;
  readonly random: () => number;
}

/**
 * Topics that grow, and every record of them by what has to become of it. Nearly all is written
 * soon after its time; some comes twice, is not an event, or is too late by its own partition's measure,
 * and one in a hundred is of a clock that is ahead by up to `maxFuture`.
 */
export class GrowingLog {
  /** All that are events, in the order of the log. */
  readonly events: Event[] = [];
  /** What has to become of its records. */
  readonly accounts: Record<string, number> = {};
  /** When each event was written, by its id. */
  readonly writtenAt = new Map<string, number>();
  readonly #queues: readonly Queue[];
  readonly #users: readonly (readonly string[])[];
  readonly #options: GrowingLogOptions;

  constructor(options: GrowingLogOptions) {
    this.#options = options;
    const { partitions } = options;
    const names = Array.from({ length: 20 * partitions }, (_, n) => `u${n}`);
    const of = (p: number) => names.filter((name) => partitionOf(name, partitions) === p);
    this.#users = Array.from({ length: partitions }, (_, p) => of(p).slice(0, 3));
    this.#queues = ROLES.flatMap((role) =>
      this.#users.map((_, partition) => {
        const from = { values: [], recordTs: [], newest: Number.NEGATIVE_INFINITY };
        return { role, partition, ...from };
      }),
    );
  }

  of(role: TopicRole, partition: number): Pick<Queue, 'values' | 'recordTs'> {
    return this.#queues[ROLES.indexOf(role) * this.#options.partitions + partition]!;
  }

  /** @param share of the topic-partitions that get a record; @param isBusy by topic-partition */
  grow(now: number, share: number, isBusy: (queue: number) => boolean): void {
    for (const [q, queue] of this.#queues.entries()) {
      if (isBusy(q) && this.#options.random() < share) this.#write(queue, now);
    }
  }

  #write(queue: Queue, now: number): void {
    const { random, latenessMs, maxFutureMs } = this.#options;
    const kind = random();
    // Less than the lateness ago, so that it is never late.
    const ts = now - Math.floor(0.8 * random() * latenessMs);
    queue.newest = Math.max(queue.newest, ts);
    const event = this.#drawn(queue, ts);
    this.#event(queue, event, now, 'accepted');
    if (kind < 0.03) this.#put(queue, Buffer.from('{"not":'), now, 'not_json');
    else if (kind < 0.06) this.#event(queue, event, now, 'duplicate');
    else if (kind < 0.09) {
      // Right after one in time: of a partition that was silent, how late is late is for the clock to say.
      const late = queue.newest - latenessMs - 1 - Math.floor(random() * 3 * latenessMs);
      this.#event(queue, this.#drawn(queue, late), now, 'late');
    } else if (kind < 0.1) {
      const ahead = now + Math.floor(random() * maxFutureMs);
      this.#event(queue, this.#drawn(queue, ahead), now, 'accepted');
      queue.newest = Math.max(queue.newest, now);
    }
  }

  #drawn({ role, partition }: Queue, ts: number): Event {
    const n = this.events.length;
    const { random } = this.#options;
    const user = this.#users[partition]![Math.floor(random() * 3)]!;
    return role === 'exposures'
      ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${n % 2}`, items: ['a', 'b', 'c'] }
      : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcd'[Math.floor(random() * 4)]! };
  }

  #event(queue: Queue, event: Event, now: number, outcome: string): void {
    this.events.push(event);
    if (!this.writtenAt.has(event.id!)) this.writtenAt.set(event.id!, now);
    this.#put(queue, Buffer.from(encodeEvent(event)), now, outcome);
  }

  #put({ role, values, recordTs }: Queue, value: Uint8Array, now: number, outcome: string): void {
    values.push(value);
    recordTs.push(now);
    const key = `${role} ${outcome}`;
    this.accounts[key] = (this.accounts[key] ?? 0) + 1;
  }
}
