/** Schedule of nightly runs. */
export interface NightSchedule {
  /** Find the first due time after a time, ms. */
  next(afterMs: number): number;
}

/** Gives the wall-clock time, and waits. A wait ends early if the signal is aborted. */
export interface NightClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The right to make a set, which one worker has at a time. Each lease has a higher epoch than the
 * one before; a worker that has lost the lease is rejected before its set appears.
 */
export interface NightLease {
  /** Take the lease. @returns its epoch; undefined if another worker has it */
  take(): Promise<number | undefined>;
  /** Renew the lease; false if another worker took it or it expired. */
  renew(epoch: number): Promise<boolean>;
  /** Release the lease; a lease that was already lost is not an error. */
  release(epoch: number): Promise<void>;
  close(): Promise<void>;
}

/** Order for one set: its name and its range of event time, ms. */
export interface NightOrder {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface NightProgress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** Make one set. If that fails, the promise is rejected and no part of the set appears. */
export type MakeNight = (
  order: NightOrder,
  how: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: NightProgress) => void;
    /** Called right before the set appears; a rejection keeps it from appearing. */
    readonly mayCommit: () => Promise<void>;
  },
) => Promise<{ readonly rows: number }>;

/** Receives the outcomes of runs, for metrics and logs. */
export interface NightObserver {
  ended(outcome: 'made' | 'failed', order: NightOrder, seconds: number, rows: number): void;
  attemptFailed(order: NightOrder, attempt: number, error: unknown): void;
  /** Report a failure outside of runs, such as when removing an old set. */
  troubled(what: string, error: unknown): void;
}
