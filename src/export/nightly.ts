import { UnskewError } from '../errors.js';
import type {
  MakeNight,
  NightClock,
  NightLease,
  NightObserver,
  NightOrder,
  NightProgress,
  NightSchedule,
} from './night-ports.js';
import type { SetStorage } from './ports.js';

const PATTERN = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** Name of a nightly set, from its due time; names sort in time order. */
function nightName(dueMs: number): string {
  return `${new Date(dueMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** Due time in a name; undefined for a set of another name. */
function nightOf(name: string): number | undefined {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, day, hours, minutes, seconds] = match;
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * The search for missed nights reaches back over this many times `catchUp` + 1 regular intervals,
 * because schedules may leave out days.
 */
const LOOK_BACK = 8;

export interface NightlyOptions {
  readonly schedule: NightSchedule;
  readonly clock: NightClock;
  readonly lease: NightLease;
  readonly storage: SetStorage;
  readonly make: MakeNight;
  readonly observer: NightObserver;
  /** Length of a night's range of event time, ms. */
  readonly rangeMs: number;
  /** Time from the end of a night's range to its due time, ms. */
  readonly settleMs: number;
  /** Number of further attempts if the first one fails. */
  readonly retries: number;
  /** Delay between attempts, ms. */
  readonly retryDelayMs: number;
  /** Largest number of missed nights that are made later. */
  readonly catchUp: number;
  /** Number of nightly sets that are kept; 0 keeps all. */
  readonly retain: number;
  /** Time after which a lease expires without renewal, ms. */
  readonly leaseTtlMs: number;
}

/** Delay before a set is retried, and time after which a silent worker loses its lease, ms. */
export const NIGHTLY_CARE = {
  retryDelayMs: 300_000,
  leaseTtlMs: 60_000,
} as const;

export interface NightlyStatus {
  readonly running: (NightOrder & NightProgress & { readonly attempt: number }) | null;
  /** The next due time, ms. */
  readonly next: number;
  /** The oldest due time without a set, ms; null if there is none. */
  readonly overdue: number | null;
  /** Due time of the newest nightly set, ms. */
  readonly lastMade: number | null;
  readonly lastError: string | null;
}

/**
 * Make a set for each due time, one at a time among all workers that share a lease.
 *
 * The storage shows which nights have a set, also after a restart, a failed night, or a set of
 * another worker. Due nights without a set are made, the oldest first.
 */
export class Nightly {
  readonly #stop = new AbortController();
  /**
   * Time at which this object was created, ms. Without a set from before this time, no earlier
   * night counts as missed.
   */
  readonly #since: number;
  /**
   * Earliest due time for which a missed set is made later, ms; determined when the storage is
   * first listed.
   */
  #first: number | undefined;
  #running: NightlyStatus['running'] = null;
  /** Due times without a set, ms, ascending, as of the last listing of the storage. */
  #due: readonly number[] = [];
  #lastMade: number | null = null;
  /** Time at which the storage was last listed; the start before the first listing. */
  #lookedAt: number;
  /** Whether the last attempt to list the storage failed. */
  #isBlind = false;
  #lastError: string | null = null;
  /** Why the storage could not be listed; undefined if it could. */
  #lookError: string | undefined;
  /**
   * Nights that failed after all attempts; they are not tried again until the next night is due.
   */
  readonly #failed = new Map<number, number>();
  #loop: Promise<void> = Promise.resolve();
  #manual: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: NightlyOptions) {
    this.#since = options.clock.now();
    this.#lookedAt = this.#since;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Stop a current run; no part of its set appears. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#manual.catch(() => {});
    await this.options.lease.close();
  }

  status(): NightlyStatus {
    const { clock, schedule } = this.options;
    return {
      running: this.#running,
      next: schedule.next(clock.now()),
      overdue: this.#due[0] ?? this.#unseen(),
      lastMade: this.#lastMade,
      lastError: this.#lastError,
    };
  }

  /** Why the newest set is missing; undefined if nothing failed. */
  get trouble(): { readonly reason: string } | undefined {
    const reason = this.#lookError ?? this.#lastError;
    return reason === null ? undefined : { reason };
  }

  /**
   * The first night that became due since the storage was last listed; null if the storage can be
   * listed, or if no night became due.
   */
  #unseen(): number | null {
    const { schedule, clock } = this.options;
    const night = schedule.next(this.#lookedAt);
    return this.#isBlind && night <= clock.now() ? night : null;
  }

  /**
   * Start a run outside of the schedule, and return at once.
   *
   * @throws UnskewError SET if a run is under way, here or in another worker.
   */
  async startNow(order: NightOrder): Promise<void> {
    const epoch = this.#running === null ? await this.options.lease.take() : undefined;
    if (epoch === undefined)
      throw new UnskewError('SET', 'a test set is already being made; try again when it is done');
    this.#manual = this.#attempts(order, epoch, 0).finally(() => this.#release(epoch));
  }

  async #run(): Promise<void> {
    const { clock, leaseTtlMs } = this.options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#look();
        const night = this.#due.find((due) => !this.#isGivenUp(due));
        if (night === undefined) {
          await clock.wait(this.#untilNext(), signal);
        } else if (!(await this.#tryNight(night))) {
          await clock.wait(leaseTtlMs / 2, signal);
        }
      } catch (error) {
        // An unavailable storage or lease is not a reason to end the service.
        this.#lookError = messageOf(error);
        this.#trouble('checking which nightly sets are due', error);
        await clock.wait(leaseTtlMs, signal);
      }
    }
  }

  /** Find the nights that are due and have no set. */
  async #look(): Promise<void> {
    const { storage, schedule, clock, catchUp } = this.options;
    this.#isBlind = true;
    const made = new Set((await storage.list()).flatMap((name) => nightOf(name) ?? []));
    this.#isBlind = false;
    this.#lookError = undefined;
    this.#lookedAt = clock.now();
    const nights = [...made].sort((a, b) => a - b);
    this.#lastMade = nights.at(-1) ?? null;
    const now = clock.now();
    const after = Math.max(
      Math.min(this.#since, nights[0] ?? this.#since),
      this.#earliest(now, nights),
    );
    const due: number[] = [];
    for (let night = schedule.next(after); night <= now; night = schedule.next(night)) {
      if (!made.has(night)) {
        due.push(night);
      }
    }
    if (this.#first === undefined) {
      const missed = due.filter((night) => night <= this.#since);
      this.#first = catchUp === 0 ? this.#since : (missed.slice(-catchUp)[0] ?? this.#since);
    }
    this.#due = due.filter((night) => night >= this.#first!);
  }

  /**
   * Time before which missed nights are not made later, ms. It lies `LOOK_BACK` · (`catchUp` + 1)
   * regular intervals back, but not before the oldest retained set: an older set would be removed
   * at once.
   */
  #earliest(now: number, nights: readonly number[]): number {
    const { schedule, catchUp, retain } = this.options;
    const next = schedule.next(now);
    const back = now - LOOK_BACK * (catchUp + 1) * (schedule.next(next) - next);
    const kept = retain > 0 ? nights.at(-retain) : undefined;
    return Math.max(back, kept ?? back);
  }

  #untilNext(): number {
    const { schedule, clock } = this.options;
    return Math.max(1, schedule.next(clock.now()) - clock.now());
  }

  #isGivenUp(night: number): boolean {
    const until = this.#failed.get(night);
    return until !== undefined && this.options.clock.now() < until;
  }

  /** Make the set of a night. @returns false if another worker has the lease */
  async #tryNight(night: number): Promise<boolean> {
    const { lease, rangeMs, settleMs, retries, storage, schedule, clock } = this.options;
    const epoch = await lease.take();
    if (epoch === undefined) return false;
    try {
      const name = nightName(night);
      // Another worker may have made the set before this one took the lease.
      if ((await storage.list()).includes(name)) return true;
      const to = night - settleMs;
      const isMade = await this.#attempts(
        {
          name,
          from: to - rangeMs,
          to,
        },
        epoch,
        retries,
      );
      if (isMade) {
        await this.#retain();
      } else {
        this.#failed.set(night, schedule.next(clock.now()));
      }
      return true;
    } finally {
      await this.#release(epoch);
    }
  }

  async #attempts(order: NightOrder, epoch: number, retries: number): Promise<boolean> {
    const { clock, observer, retryDelayMs } = this.options;
    const { signal } = this.#stop;
    const began = clock.now();
    const seconds = () => (clock.now() - began) / 1000;
    const keeping = new AbortController();
    const kept = this.#keep(epoch, keeping.signal);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          const { rows } = await this.#make(order, epoch, attempt);
          this.#lastError = null;
          observer.ended('made', order, seconds(), rows);
          return true;
        } catch (error) {
          if (signal.aborted) return false;
          this.#lastError = messageOf(error);
          observer.attemptFailed(order, attempt, error);
          const isFinal = attempt > retries || !(await this.options.lease.renew(epoch));
          if (isFinal) {
            observer.ended('failed', order, seconds(), 0);
            return false;
          }
          await clock.wait(retryDelayMs, signal);
        }
      }
    } finally {
      keeping.abort();
      await kept;
    }
  }

  async #make(order: NightOrder, epoch: number, attempt: number): Promise<{ rows: number }> {
    const { make, lease } = this.options;
    const at = {
      ...order,
      attempt,
    };
    this.#running = {
      ...at,
      step: 'starting',
      done: 0,
      total: 1,
    };
    try {
      return await make(order, {
        signal: this.#stop.signal,
        onProgress: (progress) => {
          this.#running = {
            ...at,
            ...progress,
          };
        },
        mayCommit: async () => {
          if (await lease.renew(epoch)) return;
          throw new UnskewError('SET', 'another worker took over, so this set was discarded');
        },
      });
    } finally {
      this.#running = null;
    }
  }

  /** Renew the lease during a run. */
  async #keep(epoch: number, signal: AbortSignal): Promise<void> {
    const { clock, lease, leaseTtlMs } = this.options;
    while (!signal.aborted) {
      await clock.wait(leaseTtlMs / 3, signal);
      if (signal.aborted) return;
      try {
        if (!(await lease.renew(epoch))) return;
      } catch (error) {
        this.#trouble('renewing the lease', error);
      }
    }
  }

  async #release(epoch: number): Promise<void> {
    try {
      await this.options.lease.release(epoch);
    } catch (error) {
      this.#trouble('releasing the lease', error);
    }
  }

  /** Remove the oldest nightly sets. Sets with other names are never removed. */
  async #retain(): Promise<void> {
    const { storage, retain } = this.options;
    if (retain === 0) return;
    try {
      const nights = (await storage.list()).filter((name) => nightOf(name) !== undefined);
      for (const name of nights.slice(0, -retain)) {
        await storage.remove(name);
      }
    } catch (error) {
      this.#trouble('removing old sets', error);
    }
  }

  #trouble(what: string, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.options.observer.troubled(what, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
