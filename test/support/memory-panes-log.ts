import { firstValueFrom, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../src/errors.js';
import type {
  LoggedPane,
  PanePartitionLog,
  PanesLog,
  PanesPosition,
} from '../../src/stream/ports.js';

interface Kept {
  readonly bytes: Uint8Array;
  readonly pane: number;
}

/** One partition of the panes topic in memory. */
class MemoryPanePartition implements PanePartitionLog {
  readonly #appended = new Subject<void>();
  #records: Kept[] = [];
  #lookedTo = 0;
  /** Offset of the oldest record that is kept. */
  #first = 0;
  /** Another one each time the topic is made again. */
  #life = 0;

  async append(bytes: Uint8Array, pane: number): Promise<void> {
    this.#records.push({ bytes: bytes.slice(), pane });
    this.#appended.next();
  }

  async read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'> {
    if (from.offset === this.#next) {
      await firstValueFrom(race(timer(waitMs), this.#appended), { defaultValue: undefined });
    }
    const isSame = from.mark === '' || from.mark === `${this.#life}`;
    if (!isSame || from.offset < this.#first || from.offset > this.#next) return 'gone';
    this.#lookedTo = this.#next;
    return this.#records.slice(from.offset - this.#first).map(({ bytes }, n) => ({
      bytes,
      next: this.#at(from.offset + n + 1),
    }));
  }

  get lookedTo(): number {
    return this.#lookedTo;
  }

  async ends() {
    return { first: this.#at(this.#first), next: this.#at(this.#next) };
  }

  async newestPane(): Promise<number | undefined> {
    return this.#records.at(-1)?.pane;
  }

  /** Loses its oldest records. */
  trim(count: number): void {
    this.#first += this.#records.splice(0, count).length;
  }

  /** Is deleted and made again. */
  recreate(): void {
    this.#records = [];
    this.#first = 0;
    this.#life++;
    this.#appended.next();
  }

  get #next(): number {
    return this.#first + this.#records.length;
  }

  #at(offset: number): PanesPosition {
    return { offset, mark: `${this.#life}` };
  }
}

/** The panes topic in memory: Kafka's part in tests. */
export class MemoryPanesLog implements PanesLog {
  readonly #ofEvents: () => number;
  readonly #partitions: MemoryPanePartition[] = [];

  /** @param ofEvents how many partitions the topics of events have */
  constructor(ofEvents: () => number) {
    this.#ofEvents = ofEvents;
  }

  async open(): Promise<number> {
    const count = this.#ofEvents();
    if (this.#partitions.length > count) {
      throw new UnskewError(
        'USAGE',
        `the panes topic has ${this.#partitions.length} partitions, and the topics of events have ${count}`,
      );
    }
    while (this.#partitions.length < count) this.#partitions.push(new MemoryPanePartition());
    return count;
  }

  of(partition: number): MemoryPanePartition {
    return this.#partitions[partition]!;
  }

  /** Is deleted and made again. */
  recreate(): void {
    for (const partition of this.#partitions) partition.recreate();
  }

  async close(): Promise<void> {}
}
