import { UnskewError } from '../../../src/errors.js';
import type {
  LogEnd,
  LogSource,
  SourceHandlers,
  StartPositions,
  TopicRole,
} from '../../../src/stream/ports.js';
import type { GroupBroker, Membership } from './group-broker.js';
import { ROLES } from './growing-log.js';
import { type Cable, Link } from './link.js';

const HEARTBEAT_MS = 500;
const REQUEST_MS = 4_000;
const AGAIN_MS = 300;
const FETCH_EVERY_MS = 250;
const MOST_RECORDS = 20;

type Position = Omit<LogEnd, 'end'> & { next: number };

/** A member of a group as a client of the broker makes one: sessions, one after the other. */
export class Consumer implements LogSource {
  readonly #name: string;
  readonly #broker: GroupBroker;
  readonly #cable: Cable;
  readonly #coordination: Link;
  readonly #admin: Link;
  #handlers!: SourceHandlers;
  #sessions = 0;
  #member = '';
  #generation = -1;
  #isTaken = false;
  #isStopped = false;
  #isLeaving = false;
  #outdated = new AbortController();
  #taking: Promise<void> = Promise.resolve();
  #pumps: Promise<void>[] = [];
  #heldBack: readonly number[] = [];
  #positions: Position[] = [];

  constructor(name: string, broker: GroupBroker, cable: Cable) {
    this.#name = name;
    this.#broker = broker;
    this.#cable = cable;
    this.#coordination = new Link(cable, REQUEST_MS);
    this.#admin = new Link(cable, REQUEST_MS);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.#handlers = handlers;
    void this.#supervise();
  }

  rejoin(): void {
    this.#isLeaving = true;
    this.#outdate();
  }

  holdBack(partitions: readonly number[]): void {
    this.#heldBack = partitions;
  }

  async ends(): Promise<readonly LogEnd[]> {
    if (this.#positions.length === 0) return [];
    const ends = await this.#admin.ask(() => this.#broker.ends()).catch(() => []);
    return this.#positions.flatMap(({ role, partition, next }) => {
      const found = ends.find((each) => each.role === role && each.partition === partition);
      return found === undefined ? [] : [{ ...found, next }];
    });
  }

  commit(partition: number): void {
    void this.#coordination.ask(() => this.#broker.commit(partition)).catch(() => {});
  }

  async committed(): Promise<readonly number[]> {
    try {
      return await this.#admin.ask(() => this.#broker.committed());
    } catch (cause) {
      throw new UnskewError('BROKER', `${cause}`, { cause });
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#outdate();
    await Promise.all(this.#pumps);
    await this.#coordination.ask(() => this.#broker.leave(this.#member)).catch(() => {});
  }

  async #supervise(): Promise<void> {
    while (!this.#isStopped) {
      await this.#session().catch(() => {});
      if (this.#isStopped) return;
      this.#outdate();
      await this.#taking.then(() => Promise.all(this.#pumps));
      this.#handlers.state('disconnected');
      await sleep(AGAIN_MS);
    }
  }

  /** Until an answer does not come. */
  async #session(): Promise<void> {
    let known: Membership | undefined;
    this.#generation = -1;
    this.#isLeaving = false;
    while (!this.#isStopped) {
      if (known === undefined) {
        this.#member = `${this.#name}.${++this.#sessions}`;
        const member = this.#member;
        known = await this.#coordination.ask(() => this.#broker.join(member));
      }
      if (known && known.generation !== this.#generation) this.#learn(known);
      else if (known && this.#isTaken) this.#handlers.confirmed?.(this.#generation);
      await sleep(HEARTBEAT_MS);
      const member = this.#member;
      if (this.#isLeaving) return this.#coordination.ask(() => this.#broker.leave(member));
      known = await this.#coordination.ask(() => this.#broker.heartbeat(member));
    }
  }

  #outdate(): void {
    this.#outdated.abort();
    this.#isTaken = false;
    this.#positions = [];
  }

  #learn({ generation, partitions }: Membership): void {
    if (this.#isStopped) return;
    this.#generation = generation;
    this.#outdate();
    const outdated = new AbortController();
    this.#outdated = outdated;
    const { signal } = outdated;
    this.#taking = this.#taking
      .then(async () => {
        await Promise.all(this.#pumps);
        if (!signal.aborted) await this.#take(partitions, signal);
      })
      // The next heartbeat finds the same broken cable, and ends the session.
      .catch(() => {});
  }

  async #take(partitions: readonly number[], signal: AbortSignal): Promise<void> {
    const ends = await this.#admin.ask(() => this.#broker.ends());
    if (signal.aborted) return;
    const starts = await this.#handlers.assigned(partitions, this.#broker.partitions, signal);
    if (signal.aborted) return;
    this.#handlers.state('connected');
    this.#isTaken = true;
    this.#positions = partitions.flatMap((partition) =>
      ROLES.map((role) => ({ role, partition, next: nextOf(starts.get(partition)!, role) })),
    );
    for (const { role, partition, next } of this.#positions) {
      const { end } = ends.find((each) => each.role === role && each.partition === partition)!;
      if (next >= end) this.#handlers.caughtUp?.(role, partition);
    }
    this.#pumps = this.#positions.map((position) => this.#pump(position, signal));
  }

  async #pump(position: Position, signal: AbortSignal): Promise<void> {
    const { role, partition } = position;
    const link = new Link(this.#cable, REQUEST_MS);
    let most = MOST_RECORDS;
    while (!signal.aborted) {
      await sleep(FETCH_EVERY_MS);
      if (this.#heldBack.includes(partition)) continue;
      const { next } = position;
      const ask = () => this.#broker.fetch(role, partition, next, most);
      const fetched = await link.ask(ask).catch(() => undefined);
      if (fetched === undefined || fetched.values.length === 0 || signal.aborted) continue;
      const { values, recordTs, high } = fetched;
      const offsets = Float64Array.from(values, (_, r) => next + r);
      const times = Float64Array.from(recordTs);
      const batch = { role, partition, values, offsets, recordTs: times, highWatermark: high };
      const outcome = await this.#handlers.batch(batch);
      // What has to come again comes with what has been written since.
      most = outcome === 'again' ? Number.POSITIVE_INFINITY : MOST_RECORDS;
      if (outcome === 'again' || signal.aborted) continue;
      position.next = next + values.length;
      if (position.next >= high) this.#handlers.caughtUp?.(role, partition);
    }
  }
}

function nextOf(starts: StartPositions, role: TopicRole): number {
  const start = starts[role];
  if (typeof start === 'object') return start.next;
  return typeof start === 'number' ? start : 0;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
