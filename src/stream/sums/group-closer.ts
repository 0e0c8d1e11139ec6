import { firstValueFrom, race, Subject, timer } from 'rxjs';
import type { ClosedPane } from '../closed-pane.js';
import { type Swept, sweepIds } from '../id-tables.js';
import type { Ingest } from '../ingest.js';
import type { Lookup } from '../lookup.js';
import type { Closer, TimedPane } from '../pane-closer.js';
import type { RecordBatch, TopicRole } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';
import type { Turn } from './fold.js';
import type { GroupLog } from './group-log.js';
import { GroupTick, introduction } from './group-tick.js';
import type { Cut } from './record.js';

export interface GroupCloserOptions {
  readonly group: GroupLog;
  readonly turns: Turns;
  readonly tickMs: number;
  /** Partitions of this process, ascending. */
  readonly partitions: readonly number[];
  /** What numbers depend on beside the log. */
  readonly rules: string;
  /** Resolves when what was made of closed panes is where it must not get lost. */
  readonly written: () => Promise<void>;
  /** Whether all of a partition was read that there was at some time since then. */
  readonly wasAtEnd: (partition: number, since: number) => boolean;
  /** A pane of a partition was closed elsewhere, and closes here where its own events say. */
  readonly unknown: (cut: UnknownCut) => void;
  /** The group has to be joined again, and the state to be taken from the checkpoints. */
  readonly reload: (why: string) => void;
}

/** Nobody says where a pane of a partition was closed. */
export interface UnknownCut {
  readonly partition: number;
  readonly pane: number;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** How often it is looked whether silence has let time go on, ms. */
const POLL_MS = 100;
/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 3;
/** Panes that are read ahead of the one that is under way. */
const AHEAD = 2;
/** How long the pane under way may take to be concluded when the partitions are given away, ms. */
const STOP_MS = 1_500;

/**
 * Closes the panes of this process together with those that have the other partitions: each keeps its
 * own rows, and what all of them sum up goes through the log. A pane that is under way when the
 * generation of the group ends is void, and is made again under the next one, closed where it was.
 */
export class GroupCloser implements Closer {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly #options: GroupCloserOptions;
  readonly #ingest: Ingest;
  #generation: number | undefined;
  #tick: GroupTick | undefined;
  #isOpen = false;
  /** When it opened: from then on nobody else reads its partitions for the group. */
  #openedAt = Number.POSITIVE_INFINITY;
  /** Others may have had the partitions since they came here. */
  #hasMissed = false;
  /** What others say numbers depend on, where that is something else. */
  #others: string | undefined;
  /** Where the log has nothing around a cut; by role and partition. */
  readonly #reached = new Map<string, { readonly from: number; readonly to: number }>();
  #running: Promise<void> | undefined;
  #isStopping = false;
  #isStopped = false;
  #isBusy = false;
  /** Panes, and what must not meet a closing pane, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** To be made when the partitions are restored. */
  constructor(ingest: Ingest, options: GroupCloserOptions) {
    this.#ingest = ingest;
    this.#options = options;
    const { group } = options;
    const { partitions } = ingest.monitor;
    group.know(partitions.closedThrough, partitions.learned.state);
    ingest.checkpoints.sums = () => group.head;
    group.heed = (turn) => this.#heed(turn);
    this.#running = this.#run();
  }

  get lookup(): Lookup | undefined {
    return this.#ingest.monitor.partitions.together && this.#ingest.lookup;
  }

  get isMixed(): boolean {
    return this.#others !== undefined;
  }

  get note(): string {
    const { fold } = this.#options.group;
    if (this.#others !== undefined) {
      return `workers go by different settings or versions: ${this.#options.rules} here, ${this.#others} elsewhere`;
    }
    if (this.#isCurrent && !fold.isBegun) return 'together with other workers';
    return `waits for partitions ${fold.missing.join(', ')}`;
  }

  confirmed(hasMissed: boolean): void {
    this.#hasMissed ||= hasMissed;
    const { group, partitions, rules } = this.#options;
    const { generation } = group;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#isOpen = false;
    this.#others = undefined;
    const { monitor } = this.#ingest;
    // What a tick has learned that is void now is not to be said.
    monitor.partitions.learned.resume(group.learned!);
    const say = group.say.bind(group);
    const { fold, concluded } = group;
    this.#tick = new GroupTick(monitor, fold, generation, partitions, concluded, say);
    this.#tick.hello(rules);
    group.wake$.next();
  }

  room({ role, partition, offsets }: Pick<RecordBatch, 'role' | 'partition' | 'offsets'>): number {
    // Nothing is to wait here for others: while a batch is under way the client joins no generation.
    if (!this.#isCurrent || this.#isAhead) return 0;
    const cut = this.#limitOf(partition);
    if (cut === undefined) return offsets.length;
    const rows = countBelow(offsets, cut[role]);
    if (rows === offsets.length) return rows;
    const from = rows === 0 ? 0 : offsets[rows - 1] + 1;
    const log = `${role}/${partition}`;
    const to = offsets[rows];
    const known = this.#reached.get(log);
    if (known?.from !== from || known.to !== to) {
      this.#reached.set(log, { from, to });
      this.#options.group.wake$.next();
    }
    // What was applied before the cut comes again with what lies behind it.
    return from > this.#cutOf(partition)[role] ? rows : 0;
  }

  async poke(): Promise<void> {
    this.#options.group.wake$.next();
  }

  /** Only what is concluded is kept, closed where all know it to be. */
  atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined> {
    return this.#between(async () => {
      if (!this.#isCurrent || this.#isElsewhere(partition)) return undefined;
      const limit = this.#limitOf(partition);
      if (limit !== undefined && this.#isBeyond(partition, limit)) return undefined;
      const isConcluded = this.#closedThrough(partition) === this.#options.group.concluded;
      return isConcluded ? work() : undefined;
    });
  }

  /** The pane under way has a while to be concluded, so that it can be kept. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const { group, turns } = this.#options;
    for (const end = turns.now() + STOP_MS; this.#isBusy && turns.now() < end; ) {
      await this.#woken();
    }
    this.#isStopped = true;
    group.wake$.next();
    await this.#running;
    group.heed = () => {};
    this.panes$.complete();
  }

  /** Whether the generation that this worker belongs to has opened, and no other has begun. */
  get #isCurrent(): boolean {
    return this.#isOpen && this.#options.group.fold.generation === this.#generation;
  }

  #heed(turn: Turn): void {
    const { group, rules, partitions } = this.#options;
    if (group.fold.generation !== this.#generation || this.#tick === undefined) return;
    if (turn.kind === 'opened') {
      const all = turn.hellos.map(({ payload }) => introduction(payload).rules);
      this.#others = all.find((other) => other !== rules);
      if (this.#others !== undefined) return;
    } else if (!this.#isOpen) return;
    this.#tick.heed(turn);
    if (turn.kind === 'round') return;
    group.conclude(this.#tick.concluded, this.#tick.learned);
    if (turn.kind !== 'opened') return;
    this.#isOpen = true;
    this.#openedAt = this.#options.turns.now();
    const ahead = partitions.find((p) => this.#closedThrough(p) > group.fold.pane);
    if (ahead !== undefined) this.#reload(`partition ${ahead} was closed further than all others`);
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const isMoved = await this.#between(() => this.#advance());
        if (isMoved) await this.#sweep();
        else await this.#woken();
      }
    } catch (error) {
      this.panes$.error(error);
    }
  }

  /** Takes the next step there is; @returns whether there was one */
  async #advance(): Promise<boolean> {
    if (!this.#isCurrent || this.#isStopping) return false;
    const { partitions, group, turns } = this.#options;
    for (const p of partitions) {
      if (this.#isElsewhere(p)) return this.#reload(`partition ${p} was closed elsewhere`);
      const pane = this.#behind(p);
      if (pane === undefined) continue;
      const { fold } = group;
      const isKnown = (fold.nextCut(this.#closedThrough(p), p)?.pane ?? fold.pane) < fold.pane;
      if (!isKnown) this.#options.unknown({ partition: p, pane });
      await runSliced(this.#ingest.monitor.closePartition(p, pane), turns);
      return true;
    }
    const { pane } = group.fold;
    if (!this.#isCurrent || !partitions.every((p) => this.#isDue(p, pane))) return false;
    this.#isBusy = true;
    try {
      await this.#together(pane);
    } finally {
      this.#isBusy = false;
    }
    return true;
  }

  /** The pane that a partition closes next without a tick, as others have made that. */
  #behind(p: number): number | undefined {
    const { fold } = this.#options.group;
    const closed = this.#closedThrough(p);
    if (closed >= fold.pane - 1) return undefined;
    const { oldestOpenPane } = this.#ingest.monitor.partitions.of(p).state;
    const known = fold.nextCut(closed, p);
    if (known !== undefined && known.pane < fold.pane) {
      if (this.#isBeyond(p, known.cut)) {
        this.#reload(`partition ${p} was read further than it was closed`);
        return undefined;
      }
      return this.#isRead(p, known.cut) ? Math.min(oldestOpenPane, known.pane) : undefined;
    }
    if (this.#hasMissed) {
      this.#reload(`nobody says where partition ${p} was closed while others may have had it`);
      return undefined;
    }
    const next = Math.min(oldestOpenPane, fold.pane - 1);
    const { watermark } = this.#ingest.monitor.watermarks.ofPartition(p);
    return this.#endOf(next) <= watermark ? next : undefined;
  }

  /** Whether a partition can close a pane, or has closed it. */
  #isDue(p: number, pane: number): boolean {
    const closed = this.#closedThrough(p);
    if (closed < pane - 1) return false;
    if (closed >= pane && pane !== Number.NEGATIVE_INFINITY) return true;
    const { fold } = this.#options.group;
    const cut = fold.cutOf(pane, p);
    if (cut !== undefined) {
      if (this.#isBeyond(p, cut)) return this.#reload(`partition ${p} was read beyond its cut`);
      return this.#isRead(p, cut);
    }
    const stand = this.#standOf(p);
    return stand > Number.NEGATIVE_INFINITY && this.#endOf(pane) <= stand;
  }

  /**
   * How far event time is in a partition. Where nothing more is expected in any of this process,
   * they go no further than their newest event, unless others go on.
   */
  #standOf(p: number): number {
    const { watermarks } = this.#ingest.monitor;
    const { watermark } = watermarks.ofPartition(p);
    const { fold } = this.#options.group;
    const areIdle = () =>
      this.#options.partitions.every((each) => watermarks.ofPartition(each).isIdle);
    if (fold.isBegun || !areIdle()) return watermark;
    return Math.min(watermark, watermarks.endOfNewestPane());
  }

  #throughOf(p: number, pane: number): number {
    const { fold } = this.#options.group;
    const { state, newest } = this.#ingest.monitor.partitions.of(p);
    const isEmpty = newest?.pane === pane ? newest.isEmpty : state.isEmptyThrough(pane);
    if (!isEmpty) return pane - 1;
    const isKnown = fold.cutOf(pane, p) !== undefined;
    const most = isKnown
      ? fold.passedFrom(pane)
      : Math.floor(this.#standOf(p) / this.#options.tickMs) - 1;
    return Math.max(pane - 1, Math.min(state.oldestOpenPane - 1, most));
  }

  async #together(pane: number): Promise<void> {
    const { turns, partitions, written } = this.#options;
    const tick = this.#tick!;
    const start = turns.now();
    const part = {
      cutOf: (p: number) => this.#cutOf(p),
      throughOf: (p: number, from: number) => this.#throughOf(p, from),
    };
    const made = await this.#made(tick, tick.close(pane, part));
    if (made === undefined || !this.#goesOn(tick)) return this.#drop();
    const { closed, longest, waited } = made;
    if (closed === undefined) return;
    const seconds = (turns.now() - start) / 1000;
    const of = { longestSliceSeconds: longest / 1000, waitedSeconds: waited / 1000 };
    const timed = { ...closed, seconds, ...of };
    // Who keeps what is made for all does so before it says that it is made.
    const isKeeper = partitions[0] === 0;
    if (isKeeper) {
      this.panes$.next(timed);
      await written();
    }
    tick.finish(pane);
    while (tick.concluded < pane) {
      if (!this.#goesOn(tick)) return this.#drop();
      await this.#woken();
    }
    if (!isKeeper) this.panes$.next(timed);
  }

  /** Runs to the end what waits for others; undefined where the generation ends before. */
  async #made(tick: GroupTick, work: Generator<void, ClosedPane | undefined>) {
    const { turns } = this.#options;
    let longest = 0;
    let waited = 0;
    let start = turns.now();
    for (;;) {
      const step = work.next();
      const held = turns.now() - start;
      longest = Math.max(longest, held);
      if (step.done) return { closed: step.value, longest, waited };
      if (tick.isWaiting) {
        if (!this.#goesOn(tick)) return undefined;
        const asked = turns.now();
        await this.#woken();
        waited += turns.now() - asked;
      } else if (held < SLICE_MS) continue;
      else await turns.next();
      start = turns.now();
    }
  }

  #goesOn(tick: GroupTick): boolean {
    return this.#isCurrent && this.#tick === tick && !this.#isStopped;
  }

  /** What an unfinished tick has learned is void. */
  #drop(): void {
    this.#ingest.monitor.partitions.learned.resume(this.#options.group.learned!);
  }

  #reload(why: string): false {
    this.#isOpen = false;
    this.#options.reload(why);
    return false;
  }

  /** Whether the pane that a partition has closed here was closed at another place, or may have been. */
  #isElsewhere(p: number): boolean {
    const { newest } = this.#ingest.monitor.partitions.of(p);
    if (newest === undefined) return false;
    const { fold } = this.#options.group;
    const known = fold.cutOf(newest.pane, p);
    if (known === undefined) return this.#hasMissed && newest.pane < fold.pane;
    return ROLES.some((role) => known[role] !== newest.cut[role]);
  }

  /** Whether as much can be read as it takes for the pane under way, and others are waited for. */
  get #isAhead(): boolean {
    const { partitions, group } = this.#options;
    const { pane } = group.fold;
    if (pane === Number.NEGATIVE_INFINITY) return false;
    if (this.#ingest.monitor.watermarks.value() < this.#endOf(pane + AHEAD)) return false;
    return partitions.every((p) => this.#behind(p) === undefined && this.#isDue(p, pane));
  }

  #closedThrough(p: number): number {
    return this.#ingest.monitor.partitions.of(p).closedThrough;
  }

  #endOf(pane: number): number {
    return (pane + 1) * this.#options.tickMs;
  }

  #cutOf(p: number): Cut {
    const next = (role: TopicRole) => this.#ingest.records.nextOffset(role, p) ?? 0;
    return { exposures: next('exposures'), interactions: next('interactions') };
  }

  /** How far a partition may be read before its next pane is closed, if that is known. */
  #limitOf(p: number): Cut | undefined {
    const { fold } = this.#options.group;
    const closed = this.#closedThrough(p);
    // What lies before the first pane is passed by, without being closed.
    const first = closed === Number.NEGATIVE_INFINITY ? fold.cutOf(closed, p) : undefined;
    return first ?? fold.nextCut(closed, p)?.cut;
  }

  #isBeyond(p: number, cut: Cut): boolean {
    const own = this.#cutOf(p);
    return ROLES.some((role) => own[role] > cut[role]);
  }

  /** Whether all before a cut is read, or the log has lost the rest. */
  #isRead(p: number, cut: Cut): boolean {
    const own = this.#cutOf(p);
    if (this.#options.wasAtEnd(p, this.#openedAt)) return true;
    return ROLES.every((role) => {
      const next = own[role];
      const { from = 0, to = 0 } = this.#reached.get(`${role}/${p}`) ?? {};
      return next >= cut[role] || (next >= from && to >= cut[role]);
    });
  }

  async #sweep(): Promise<void> {
    const atRest = (work: () => Promise<void>) => this.#between(work);
    await sweepIds(this.#ingest, this.#options.turns, atRest, (swept) => this.swept$.next(swept));
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #woken(): Promise<void> {
    await firstValueFrom(race(timer(POLL_MS), this.#options.group.wake$));
  }
}

/** How many of numbers that ascend are below another. */
function countBelow(ascending: Float64Array, limit: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ascending[middle] < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
