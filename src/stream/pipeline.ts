import { concatMap, filter, interval, type Observable, Subject, share, takeUntil, tap } from 'rxjs';
import type { Decoder } from '../events/decode.js';
import { type AppliedBatch, Ingest } from './ingest.js';
import type { Lookup } from './lookup.js';
import type { MonitorOptions } from './options.js';
import { PaneCloser, type TimedPane } from './pane-closer.js';
import type { LogSource, RecordBatch, SourceHandlers, StartPosition, TopicRole } from './ports.js';
import { runSliced, type Turns } from './sliced.js';

export interface PipelineOptions {
  readonly monitor: MonitorOptions;
  readonly decoder: Decoder;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly start: StartPosition;
  /** A partition that is read to its end and silent for so long no longer holds time back. */
  readonly idleMs: number;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
}

/** Records that the log no longer held when they were due. */
export interface Gap {
  readonly role: TopicRole;
  readonly partition: number;
  /** How many; 0 where the log was made anew, since then nobody knows. */
  readonly records: number;
}

interface Delivery {
  readonly batch: RecordBatch;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/**
 * The live data flow, on one page:
 *
 *   source ─ batch ─▶ decode, apply ─▶ applied$
 *                          │ watermark
 *                          ▼
 *                     close, tick ──▶ panes$ ─▶ exporter, page, files
 *
 * A batch is acknowledged when it is applied and no more than one pane waits to be closed: that
 * is the backpressure, and the source passes it on to the broker.
 */
export class Pipeline {
  readonly applied$: Observable<AppliedBatch>;
  readonly panes$ = new Subject<TimedPane>();
  readonly state$ = new Subject<'connected' | 'disconnected'>();
  readonly gaps$ = new Subject<Gap>();
  /** Every change of assignment, with the partitions of this process. */
  readonly assigned$ = new Subject<readonly number[]>();

  readonly #source: LogSource;
  readonly #options: PipelineOptions;
  readonly #deliveries = new Subject<Delivery>();
  readonly #stopped = new Subject<void>();
  readonly #silentSince = new Map<string, number>();
  readonly #atEnd = new Set<string>();
  readonly #reachedEnd = new Set<string>();
  #partitions: readonly number[] = [];
  #ingest!: Ingest;
  #closer!: PaneCloser;

  constructor(source: LogSource, options: PipelineOptions) {
    this.#source = source;
    this.#options = options;
    this.#restart();
    this.applied$ = this.#deliveries.pipe(
      concatMap((delivery) => this.#apply(delivery)),
      filter((applied) => applied !== undefined),
      takeUntil(this.#stopped),
      share(),
    );
  }

  async start(): Promise<void> {
    this.applied$.subscribe();
    interval(Math.max(50, Math.min(1000, this.#options.idleMs / 4)))
      .pipe(
        takeUntil(this.#stopped),
        tap(() => this.#noticeSilence()),
      )
      .subscribe();
    await this.#source.start(this.#handlers());
  }

  async stop(): Promise<void> {
    await this.#source.stop();
    await this.#closer.stop();
    this.#stopped.next();
    this.panes$.complete();
  }

  /** Whether every partition was read to its end at least once since it was assigned. */
  get caughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(`${role}/${p}`)))
    );
  }

  /** What is known of single items and users, as of the newest closed pane. */
  get lookup(): Lookup {
    return this.#ingest.lookup;
  }

  #handlers(): SourceHandlers {
    return {
      assigned: async (partitions) => this.#assign(partitions),
      revoked: () => {},
      batch: (batch) =>
        new Promise((done, failed) => {
          this.#deliveries.next({ batch, done, failed });
        }),
      caughtUp: (role, partition) => {
        this.#reachEnd(`${role}/${partition}`);
      },
      gap: (role, partition, expected, found) => {
        if (found < expected) this.#ingest.forgetOffset(role, partition);
        this.gaps$.next({ role, partition, records: Math.max(0, found - expected) });
      },
      state: (state) => this.state$.next(state),
      failed: (error) => this.panes$.error(error),
    };
  }

  /**
   * The same partitions again: reading goes on where it was. Others: without a checkpoint what
   * is known of them can only come from the log, so everything is read anew.
   */
  async #assign(partitions: readonly number[]) {
    const sorted = [...partitions].sort((a, b) => a - b);
    if (sorted.join() !== this.#partitions.join()) {
      await this.#closer.stop();
      this.#partitions = sorted;
      this.#restart();
    }
    this.assigned$.next(sorted);
    const next = (role: TopicRole, p: number) =>
      this.#ingest.nextOffset(role, p) ?? this.#options.start;
    return new Map(
      sorted.map((p) => [
        p,
        { exposures: next('exposures', p), interactions: next('interactions', p) },
      ]),
    );
  }

  #restart(): void {
    const { monitor, decoder, topics, turns, now } = this.#options;
    this.#ingest = new Ingest(monitor, decoder, topics);
    this.#closer = new PaneCloser(this.#ingest.monitor, turns);
    this.#closer.panes$.subscribe({
      next: (pane) => this.panes$.next(pane),
      error: (error) => this.panes$.error(error),
    });
    this.#atEnd.clear();
    this.#reachedEnd.clear();
    this.#silentSince.clear();
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        this.#ingest.monitor.watermarks.expect(role, partition);
        this.#silentSince.set(`${role}/${partition}`, now());
      }
    }
  }

  async #apply({ batch, done, failed }: Delivery): Promise<AppliedBatch | undefined> {
    try {
      const { turns, now } = this.#options;
      const key = `${batch.role}/${batch.partition}`;
      this.#atEnd.delete(key);
      this.#silentSince.set(key, now());
      const applied = await runSliced(this.#ingest.apply(batch, now), turns);
      if (applied.nextOffset >= batch.highWatermark) this.#reachEnd(key);
      await this.#closer.poke();
      done();
      return applied;
    } catch (error) {
      failed(error);
      this.panes$.error(error);
      return undefined;
    }
  }

  #reachEnd(key: string): void {
    this.#atEnd.add(key);
    this.#reachedEnd.add(key);
  }

  #noticeSilence(): void {
    const { idleMs, now } = this.#options;
    let changed = false;
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        const key = `${role}/${partition}`;
        if (!this.#atEnd.has(key) || now() - this.#silentSince.get(key)! < idleMs) continue;
        this.#ingest.monitor.watermarks.setIdle(role, partition);
        changed = true;
      }
    }
    if (changed) void this.#closer.poke();
  }
}
