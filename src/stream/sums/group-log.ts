import { firstValueFrom, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { LearnedState } from '../learned.js';
import type { SumsLog, SumsPosition } from '../ports.js';
import { Fold, type Place, type Turn } from './fold.js';
import { decodeSums, encodeSums, generationOf, lifeOf, type SumsRecord } from './record.js';

/** Where the log of sums is to be read on, as a checkpoint has it. */
export type SumsHead = Place & Pick<SumsPosition, 'mark'>;

export interface GroupLogOptions {
  readonly log: SumsLog;
  /** Any clock that runs evenly, ms. */
  readonly now: () => number;
  /** What was said and cannot be read after this long is lost, ms. */
  readonly lostAfterMs: number;
  /** The group has to be joined again. */
  readonly rejoin: (why: string) => void;
  /** Called with what it cannot go on from. */
  readonly failed: (error: unknown) => void;
}

/** How long one question to the log may wait, and how soon one that failed is asked again, ms. */
const WAIT_MS = 1_000;
const AGAIN_MS = 500;
/** Panes whose cuts are known here; who needs older ones reads the log. */
const MOST_PANES = 1_500;

/**
 * What a process has of the log of sums, for as long as it lives: it reads all that comes, writes
 * what its closer says, and knows how far the panes are concluded, whatever it holds.
 */
export class GroupLog {
  readonly #options: GroupLogOptions;
  /** Something has come, or has changed. */
  readonly wake$ = new Subject<void>();
  /** Takes what a record has brought about. */
  heed: (turn: Turn) => void = () => {};
  #fold: Fold | undefined;
  #position: SumsPosition | undefined;
  /** Where the log began when it was opened, and where reading it began. */
  #first: SumsPosition | undefined;
  #begun = 0;
  /** What was said of cuts in generations before this one is void. */
  #void = 0;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #trouble: UnskewError | undefined;
  #concluded = Number.NEGATIVE_INFINITY;
  #learned: LearnedState | undefined;
  /** Where the log stood when that pane was concluded. */
  #after: Place | undefined;
  /** Of the group, as it was confirmed last, and whether the log knew a later one then. */
  #confirmed = { generation: 0, isBehind: false };
  #life = 0;
  #unsaid: SumsRecord[] = [];
  #saying: Promise<void> | undefined;
  /** When what was said last was written, until it is read; by partition. */
  readonly #unheard = new Map<number, { readonly key: string; at: number }>();

  constructor(options: GroupLogOptions) {
    this.#options = options;
  }

  /** Why the log does not answer. */
  get trouble(): string | undefined {
    return this.#trouble?.message;
  }

  get fold(): Fold {
    return this.#fold!;
  }

  /** The newest pane whose end this process knows, and what was learned through it. */
  get concluded(): number {
    return this.#concluded;
  }

  get learned(): LearnedState | undefined {
    return this.#learned;
  }

  /**
   * Makes sure that there is a log. To be called before the group is joined: what is said for a
   * generation with this process is not passed over then.
   */
  async open(): Promise<void> {
    const { log } = this.#options;
    await log.open();
    const { first, next } = await log.ends();
    this.#first = first;
    this.#position = next;
  }

  /**
   * Reads for topics that have so many partitions, from where all is said that the checkpoints do
   * not know; where that has been read it goes on.
   *
   * @param heads of the checkpoints that this process goes on from; undefined of a partition without
   *   one: of all that was ever said of it nothing is kept
   */
  follow(partitions: number, heads: readonly (SumsHead | undefined)[]): void {
    for (const head of heads) {
      if (head?.phase === 'none') this.#void = Math.max(this.#void, head.generation);
    }
    const from = heads.length === 0 ? this.#position! : this.#least(heads);
    if (this.#fold?.partitions !== partitions || from.offset < this.#begun) {
      const place: Place = { generation: 0, phase: 'none', pane: 0, ...from };
      this.#fold = new Fold(partitions, place);
      this.#life = Math.max(this.#life, lifeOf(place.generation));
      this.#begun = from.offset;
      this.#position = { offset: from.offset, mark: from.mark };
    }
    this.fold.voidBefore(this.#void);
    this.#running ??= this.#read().catch(this.#options.failed);
  }

  /** The first of these places that the log may still hold, as far as is known. */
  #least(heads: readonly (SumsHead | undefined)[]): SumsPosition & Partial<Place> {
    const first = this.#first!;
    const [least] = heads.map((head) => head ?? first).sort((a, b) => a.offset - b.offset);
    return least!.offset < first.offset ? first : least!;
  }

  /** Takes how far checkpoints and this process itself know the panes to be concluded. */
  know(concluded: number, learned: LearnedState): void {
    if (concluded <= this.#concluded && this.#learned !== undefined) return;
    this.#concluded = concluded;
    this.#learned = learned;
  }

  /** Notes that panes through this one are concluded, by the record that was read last. */
  conclude(pane: number, learned: LearnedState): void {
    this.#concluded = pane;
    this.#learned = learned;
    this.#after = this.#here;
    this.fold.forget(pane - MOST_PANES);
  }

  /** Where a checkpoint of the concluded panes reads on. */
  get head(): SumsHead {
    const { mark } = this.#position!;
    const after = this.#after ?? this.#here;
    const head = this.fold.headOf(this.#concluded, after);
    return { ...head, mark: head.offset === this.#position!.offset ? mark : '' };
  }

  /**
   * The same of one that has all partitions and says nothing: later than all that was said before,
   * and earlier than what a generation with others says, also where that has begun already and this
   * process does not know it yet.
   */
  get headAlone(): SumsHead {
    const generation = this.generation + 0.5;
    return { ...this.#position!, generation, phase: 'none', pane: 0 };
  }

  get #here(): Place {
    const { generation, phase, pane } = this.fold;
    return { offset: this.#position!.offset, generation, phase, pane };
  }

  /** The number of the group's generation, over all of its lives. */
  get generation(): number {
    return generationOf(this.#life, this.#confirmed.generation);
  }

  /**
   * The group has confirmed a generation. A group that was removed begins at 1 again, which shows
   * where it is confirmed once more though the log knows a later one.
   */
  confirm(generation: number): void {
    const before = this.#confirmed;
    // Without partitions nothing is read of the log.
    const known = this.#fold?.generation ?? 0;
    const isBehind = known > generationOf(this.#life, generation);
    if (isBehind && before.isBehind && before.generation === generation) {
      this.#life = lifeOf(known) + 1;
      this.#confirmed = { generation, isBehind: false };
    } else this.#confirmed = { generation, isBehind };
  }

  /** Writes a record as soon as it can be written, together with those that are said with it. */
  say(record: SumsRecord): void {
    this.#unsaid.push(record);
    this.#saying ??= this.#write();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake$.next();
    await this.#options.log.close();
    await this.#saying;
    await this.#running;
  }

  async #write(): Promise<void> {
    // What is said in one step goes in one request.
    await Promise.resolve();
    while (this.#unsaid.length > 0) {
      this.#unsaid = this.#unsaid.filter(({ generation }) => generation >= this.generation);
      const records = [...this.#unsaid];
      // It may be read before the log has said that it was written.
      const unsaid = { at: Number.POSITIVE_INFINITY };
      for (const each of records)
        this.#unheard.set(each.partition, { key: keyOf(each), ...unsaid });
      if (!(await this.#tried(() => this.#options.log.append(records.map(encodeSums))))) {
        if (this.#isStopped) break;
        continue;
      }
      const said = new Set(records);
      this.#unsaid = this.#unsaid.filter((record) => !said.has(record));
      const at = this.#options.now();
      for (const each of this.#unheard.values()) each.at = Math.min(each.at, at);
    }
    this.#saying = undefined;
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      await this.#tried(async () => {
        const from = this.#position!;
        const found = await this.#options.log.read(from, WAIT_MS);
        if (this.#position !== from) return;
        if (found === 'gone') return await this.#beginAgain();
        for (const { bytes, at, next } of found) {
          const record = decodeSums(bytes);
          this.#position = next;
          if (record === undefined) continue;
          const turn = this.fold.take(record, at);
          if (this.#unheard.get(record.partition)?.key === keyOf(record)) {
            this.#unheard.delete(record.partition);
          }
          if (turn) this.heed(turn);
        }
        if (found.length > 0) this.wake$.next();
      });
      this.#noticeLoss();
    }
  }

  /** The log was trimmed, or is another one: a new generation finds out what all of them know. */
  async #beginAgain(): Promise<void> {
    const { log, rejoin } = this.#options;
    await log.open();
    this.#first = (await log.ends()).first;
    this.#position = this.#first;
    this.#begun = this.#first.offset;
    rejoin('the log of sums no longer holds what was read of it');
  }

  #noticeLoss(): void {
    const { now, lostAfterMs, rejoin } = this.#options;
    const since = now() - lostAfterMs;
    if (this.#trouble !== undefined || ![...this.#unheard.values()].some(({ at }) => at < since))
      return;
    this.#unheard.clear();
    rejoin('the log of sums does not give what was written to it');
  }

  /** What the log cannot do now is tried again; @returns whether it did it */
  async #tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#trouble = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'BROKER') throw error;
      this.#trouble = error;
      if (!this.#isStopped) await firstValueFrom(race(timer(AGAIN_MS), this.wake$));
      return false;
    }
  }
}

function keyOf(record: SumsRecord): string {
  const round = record.kind === 'part' ? record.round : -1;
  return [record.generation, record.pane, round].join();
}
