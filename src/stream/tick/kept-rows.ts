import type { OrganicJob } from '../../estimators/lanes/lane-job.js';

/** Rows and counts behind a window's estimates. */
export interface KeptWindow {
  readonly job: OrganicJob;
  /** End of the pane with which the window was computed, event time, ms. */
  readonly to: number;
}

/** Memory limit of all stored windows, bytes: about a million rows of sixteen models. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The rows of each window as used by its latest estimates, so that later lookups agree with the
 * displayed numbers. Stored rows do not change. Windows are stored in the order of the tick; one
 * that exceeds the remaining memory limit is recorded as `too large`.
 */
export class KeptRows {
  readonly #mostBytes: number;
  #windows: ReadonlyMap<string, KeptWindow | 'too large'> = new Map();
  #paneEnd = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** End of the newest tick's pane, event time, ms. */
  get paneEnd(): number {
    return this.#paneEnd;
  }

  /**
   * Rows behind a window's latest estimates; undefined if there is no such window or no tick yet.
   */
  of(window: string): KeptWindow | 'too large' | undefined {
    return this.#windows.get(window);
  }

  /** Forget all windows, after panes closed without a tick or before ids are reused. */
  clear(): void {
    this.#windows = new Map();
  }

  /**
   * Start collecting the windows of a tick; windows of the previous tick stay until `end`.
   *
   * @param generation generation of the items' numbers. If it has changed, rows of earlier ticks
   *   are dropped.
   */
  begin(paneEnd: number, generation: number): TickRows {
    const windows = new Map<string, KeptWindow | 'too large'>();
    const before = generation === this.#generation ? this.#windows : new Map<string, never>();
    let room = this.#mostBytes;
    const keep = (window: string, kept: KeptWindow): void => {
      const bytes = bytesOf(kept.job);
      windows.set(window, bytes <= room ? kept : 'too large');
      if (bytes <= room) {
        room -= bytes;
      }
    };
    return {
      keep: (window, job) =>
        keep(window, {
          job,
          to: paneEnd,
        }),
      carry: (window) => {
        const kept = before.get(window);
        if (kept === 'too large') {
          windows.set(window, kept);
        } else if (kept !== undefined) {
          keep(window, kept);
        }
      },
      end: () => {
        this.#windows = windows;
        this.#paneEnd = paneEnd;
        this.#generation = generation;
      },
    };
  }
}

/** Collects the rows of the current tick. */
export interface TickRows {
  /** Store the rows behind a window's estimates. */
  keep(window: string, job: OrganicJob): void;
  /** Keep the rows of a window that is not computed at this tick. */
  carry(window: string): void;
  end(): void;
}

function bytesOf({ part, counts, columns }: OrganicJob): number {
  const held = new Set<ArrayBufferLike>();
  const add = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) {
      held.add(value.buffer);
    } else if (Array.isArray(value)) {
      value.forEach(add);
    }
  };
  for (const values of [part, counts, columns]) {
    Object.values(values).forEach(add);
  }
  let bytes = 0;
  for (const buffer of held) {
    bytes += buffer.byteLength;
  }
  return bytes;
}
