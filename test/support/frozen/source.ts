import { encodeEvent } from '../../../src/events/encode.js';
import type { LogSource, SourceHandlers, TopicRole } from '../../../src/stream/ports.js';
import { partitionOf, roleOf } from '../log.js';
import type { FrozenLog } from './logs.js';

const ROLES = ['exposures', 'interactions'] as const;
/** Records of one topic-partition that are handed over before another has its turn. */
const BATCH = 20;

/** Hands a log over batch by batch in one order; `read` resolves when all of it is applied. */
export class OrderedSource implements LogSource {
  readonly read: Promise<void>;
  readonly #queues: readonly {
    readonly role: TopicRole;
    readonly partition: number;
    readonly values: Uint8Array[];
  }[];
  readonly #partitions: number;
  #isRead: () => void = () => {};
  #isBroken: (error: unknown) => void = () => {};

  constructor({ events, partitions }: FrozenLog) {
    this.#partitions = partitions;
    const all = Array.from({ length: partitions }, (_, partition) => partition);
    this.#queues = all.flatMap((partition) =>
      ROLES.map((role) => ({
        role,
        partition,
        values: events
          .filter((e) => roleOf(e) === role && partitionOf(e.user, partitions) === partition)
          .map((event) => Buffer.from(encodeEvent(event))),
      })),
    );
    this.read = new Promise((resolve, reject) => {
      this.#isRead = resolve;
      this.#isBroken = reject;
    });
  }

  rejoin(why: string): never {
    throw new Error(why);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    const all = Array.from({ length: this.#partitions }, (_, partition) => partition);
    await handlers.assigned(all, this.#partitions, new AbortController().signal);
    handlers.state('connected');
    this.#deliver(handlers).then(this.#isRead, this.#isBroken);
  }

  async #deliver(handlers: SourceHandlers): Promise<void> {
    const longest = Math.max(...this.#queues.map(({ values }) => values.length));
    const rounds = Math.ceil(longest / BATCH);
    for (let round = 0; round < rounds; round++) {
      for (const { role, partition, values } of this.#queues) {
        // Shares of a queue, so that all end together and none is far ahead of the others.
        const place = (n: number) => Math.round((values.length * n) / rounds);
        const from = place(round);
        const to = place(round + 1);
        if (from === to) continue;
        await handlers.batch({
          role,
          partition,
          values: values.slice(from, to),
          offsets: Float64Array.from({ length: to - from }, (_, n) => from + n),
          recordTs: new Float64Array(to - from),
          highWatermark: values.length,
        });
      }
    }
  }

  /** Never reached: what is read does not fall silent, so that no pane closes by the wall clock. */
  async ends() {
    return [];
  }

  async stop(): Promise<void> {}
}
