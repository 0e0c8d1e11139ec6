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

/** Name of the set of a night, by the time that it was due; names sort as times do. */
function nightName(dueMs: number): string {
  return `${new Date(dueMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** The time that a name stands for; undefined for a set that no night made. */
function nightOf(name: string): number | undefined {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, day, hours, minutes, seconds] = match;
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Nights are not evenly spaced where a schedule leaves days out. */
const LOOK_BACK = 8;

export interface NightlyOptions {
  readonly schedule: NightSchedule;
  readonly clock: NightClock;
  readonly lease: NightLease;
  readonly storage: SetStorage;
  readonly make: MakeNight;
  readonly observer: NightObserver;
  /** Length of a night's range, ms, and how long before the due time it ends. */
  readonly rangeMs: number;
  readonly settleMs: number;
  /** Attempts after the first that fails, and the time between two, ms. */
  readonly retries: number;
  readonly retryDelayMs: number;
  /** How many missed nights are made up for. */
  readonly catchUp: number;
  /** How many nights' sets are kept; 0 keeps all. */
  readonly retain: number;
  /** How long a lease lasts that nobody renews, ms. */
  readonly leaseTtlMs: number;
}

/** When a set is tried again, and how long a silent worker keeps its claim to make it. */
export const NIGHTLY_CARE = {
  retryDelayMs: 300_000,
  leaseTtlMs: 60_000,
} as const;

export interface NightlyStatus {
  readonly running: (NightOrder & NightProgress & { readonly attempt: number }) | null;
  /** The next due time, ms. */
  readonly next: number;
  /** The oldest due time whose set is not there, ms; null where none is. */
  readonly overdue: number | null;
  /** The newest night whose set is there, ms. */
  readonly lastMade: number | null;
  readonly lastError: string | null;
}

/**
 * Makes a set for each due time, one at a time among all workers that share a lease.
 *
 * Which nights are made is read from the storage, so that a restart, another worker, or a night that
 * failed leave no doubt: what is due and not there is made, the oldest first.
 */
export class Nightly {
  readonly #stop = new AbortController();
  /** When this began: without a set from before, no earlier night was missed. */
  readonly #since: number;
  /** The first night that is made up for, found at the first look. */
  #first: number | undefined;
  #running: NightlyStatus['running'] = null;
  #due: readonly number[] = [];
  #lastMade: number | null = null;
  /** When the storage last said what is there; until then nothing is known to be there. */
  #lookedAt: number;
  #isBlind = false;
  #lastError: string | null = null;
  /** Why the storage did not say what is there; undefined where it did. */
  #lookError: string | undefined;
  /** Nights that failed after all attempts: left alone until the next one is due. */
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

  /** Ends a run that is under way; nothing of it appears. */
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

  /** Why the newest set is not there; undefined where nothing failed. */
  get trouble(): { readonly reason: string } | undefined {
    const reason = this.#lookError ?? this.#lastError;
    return reason === null ? undefined : { reason };
  }

  /** The first night that was due since the storage answered last, where it does not answer. */
  #unseen(): number | null {
    const { schedule, clock } = this.options;
    const night = schedule.next(this.#lookedAt);
    return this.#isBlind && night <= clock.now() ? night : null;
  }

  /**
   * Starts a run outside of the schedule and answers at once.
   *
   * @throws UnskewError SET if a run is under way, here or in another worker.
   */
  async startNow(order: NightOrder): Promise<void> {
    const epoch = this.#running === null ? await this.options.lease.take() : undefined;
    if (epoch === undefined) throw new UnskewError('SET', 'a set is being made already');
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
        // The storage or the lease is away: neither is a reason to end the service.
        this.#lookError = messageOf(error);
        this.#trouble('looking for nights that are due', error);
        await clock.wait(leaseTtlMs, signal);
      }
    }
  }

  /** Finds the nights that are due and not there. */
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
   * Before it no night is made up for: a few times as far back as these nights take, and none that
   * would be taken away at once, being older than all that are kept.
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

  /** @returns false if another worker is at it */
  async #tryNight(night: number): Promise<boolean> {
    const { lease, rangeMs, settleMs, retries, storage, schedule, clock } = this.options;
    const epoch = await lease.take();
    if (epoch === undefined) return false;
    try {
      const name = nightName(night);
      // Another worker may have made it between the look and the lease.
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
          throw new UnskewError('SET', 'another worker took over: this set is not kept');
        },
      });
    } finally {
      this.#running = null;
    }
  }

  /** Renews the lease while a run is under way. */
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
      this.#trouble('giving the lease back', error);
    }
  }

  /** Takes away the oldest nights; sets of other names are nobody's to take away. */
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
