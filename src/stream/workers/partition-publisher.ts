import type { Ingest } from '../ingest.js';
import type { Partition } from '../partitions.js';
import type { PaneExchange, PaneRecord, PartitionPanes, PublishedProgress } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';

/** Panes that may be closed ahead of what is concluded. */
const MOST_AHEAD = 16;

/**
 * The panes of one partition of this process: closes them by the partition's own time, whatever
 * other partitions do, and publishes what they left.
 */
export class PartitionPublisher {
  readonly partition: number;
  /** Its panes stay as they are while it is being kept. */
  isFrozen = false;
  /** Another worker has taken it. */
  isLost = false;
  /**
   * Through which pane nobody asks for its records any more: a worker that has to restart does so
   * from a checkpoint, and what the exchange loses after that can only be repaired from here.
   */
  keptThrough: number;
  #concluded = Number.NEGATIVE_INFINITY;
  readonly #ingest: Ingest;
  readonly #exchange: PaneExchange;
  readonly #turns: Turns;
  readonly #tickMs: number;
  #before: { from: number; closed: number };
  /** Those that may be asked for, oldest first, and how many of the newest are not published. */
  #records: PaneRecord[] = [];
  #unsent = 0;
  #told = '';

  constructor(
    partition: number,
    ingest: Ingest,
    tickMs: number,
    exchange: PaneExchange,
    turns: Turns,
  ) {
    this.partition = partition;
    this.#ingest = ingest;
    this.#tickMs = tickMs;
    this.#exchange = exchange;
    this.#turns = turns;
    this.#before = { from: this.closedThrough, closed: this.closedThrough };
    this.keptThrough = this.closedThrough;
  }

  get closedThrough(): number {
    return this.#own.closedThrough;
  }

  get #own(): Partition {
    return this.#ingest.monitor.partitions.of(this.partition);
  }

  /** Whether it has gone as far ahead as it may. */
  get isAhead(): boolean {
    return (this.#records.at(-MOST_AHEAD)?.pane ?? Number.NEGATIVE_INFINITY) > this.#concluded;
  }

  /** The oldest pane with events that ends by this time, if it may close now. */
  closable(watermark: number): number | undefined {
    if (this.isFrozen || this.isLost || this.isAhead) return undefined;
    const pane = this.#own.state.oldestOpenPane;
    return (pane + 1) * this.#tickMs <= watermark ? pane : undefined;
  }

  /** Closes a pane that `closable` named. */
  async close(pane: number): Promise<void> {
    const chunks = await runSliced(this.#ingest.closePartition(this.partition, pane), this.#turns);
    this.#records.push({ pane, bytes: joined(chunks) });
    this.#unsent++;
  }

  /** Notes that there is nothing in the panes that end by this time, once none is closable. */
  pass(watermark: number): void {
    if (this.isFrozen || this.isLost || this.isAhead) return;
    const through = Math.floor(watermark / this.#tickMs) - 1;
    if (through > this.closedThrough) this.#own.closedThrough = through;
  }

  /** Takes through which pane all is concluded; drops records that nobody asks for again. */
  forget(concluded: number): void {
    this.#concluded = concluded;
    const through = Math.min(concluded, this.keptThrough);
    const published = this.#records.length - this.#unsent;
    let done = 0;
    while (done < published && this.#records[done].pane <= through) done++;
    if (done > 0) this.#records.splice(0, done);
    const from = Math.min(through, this.#before.closed);
    if (from > this.#before.from) this.#before.from = from;
  }

  /** What the exchange knows of it: if that is less than was published, it is published again. */
  compare(there: PartitionPanes | undefined): void {
    if (there === undefined || there.closed < this.#before.closed) this.#told = '';
  }

  /** Where an idle one stands moves on all the time, and is nobody's concern. */
  get #progress(): PublishedProgress {
    const own = this.#ingest.monitor.watermarks.ofPartition(this.partition);
    const watermark = own.isIdle ? Number.NEGATIVE_INFINITY : own.watermark;
    return { ...own, closed: this.closedThrough, watermark };
  }

  /** Publishes what is new; @returns whether there is more to be done at once. */
  async publish(epoch: number): Promise<boolean> {
    if (this.isLost) return false;
    const progress = this.#progress;
    const told = Object.values(progress).join();
    const records = this.#records.slice(this.#records.length - this.#unsent);
    if (told === this.#told && records.length === 0) return false;
    const { partition } = this;
    const outcome = await this.#exchange.publish(partition, epoch, this.#before, progress, records);
    if (outcome === 'fenced') this.isLost = true;
    if (outcome === 'lost') {
      this.#before.closed = this.#before.from;
      this.#unsent = this.#records.length;
    }
    if (outcome === 'published') {
      this.#before.closed = progress.closed;
      this.#unsent -= records.length;
      this.#told = told;
    }
    return outcome === 'lost' || records.length > 0;
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
