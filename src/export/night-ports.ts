/** When nights are due. */
export interface NightSchedule {
  /** The first time after the given one, ms. */
  next(afterMs: number): number;
}

/** Wall-clock time, and waiting for it; ends early where the signal is aborted. */
export interface NightClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The right to make a set, which one worker has at a time. It goes with an epoch that rises; a worker
 * that has lost it is refused before a set appears.
 */
export interface NightLease {
  /** The epoch of the lease, or undefined where another worker has it. */
  take(): Promise<number | undefined>;
  /** Keeps the lease; false where it was lost to another or ran out. */
  renew(epoch: number): Promise<boolean>;
  /** Gives the lease back; one that was lost already is not a fault. */
  release(epoch: number): Promise<void>;
  close(): Promise<void>;
}

/** What is to be made: a set of a range of event time, under a name. */
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

/** Makes one set; rejects where it cannot, and then nothing has appeared. */
export type MakeNight = (
  order: NightOrder,
  how: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: NightProgress) => void;
    /** Asked right before the set appears; a rejection keeps it from appearing. */
    readonly mayCommit: () => Promise<void>;
  },
) => Promise<{ readonly rows: number }>;

/** Where runs report what became of them, for metrics and logs. */
export interface NightObserver {
  ended(outcome: 'made' | 'failed', order: NightOrder, seconds: number, rows: number): void;
  attemptFailed(order: NightOrder, attempt: number, error: unknown): void;
  /** Something beside the runs went wrong, such as the removal of an old set. */
  troubled(what: string, error: unknown): void;
}
