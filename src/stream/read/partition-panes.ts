import { type Cut, isSameHead, PaneFold, type PaneHead, type PanesKnown } from '../panes/fold.js';

/** How far a process has read a partition, and which of its panes may close. */
export interface PartitionStand {
  /** Next offsets to read of both topics. */
  readonly read: Cut;
  /** The oldest pane with events that is not closed; Infinity if there is none. */
  readonly oldestOpen: number;
  /** The newest pane that may close by event time; −Infinity if there is none. */
  readonly closable: number;
  /** Whether everything before the offsets of a record is read, or is no longer in the log. */
  isRead(head: PaneHead): boolean;
}

/** What a process does next in a partition. */
export type PaneStep =
  /** Close a pane at the offsets that its record states. */
  | {
      readonly kind: 'follow';
      readonly head: PaneHead;
    }
  /** Close a pane because the partition's watermark has passed it, and write its record. */
  | {
      readonly kind: 'write';
      readonly pane: number;
    }
  /**
   * Close a pane without a record: another process closed the pane at offsets that are not known
   * here.
   */
  | {
      readonly kind: 'pass';
      readonly pane: number;
    }
  /** Load the state from the checkpoint again. */
  | {
      readonly kind: 'reload';
      readonly why: string;
    }
  | { readonly kind: 'wait' };

const WAIT: PaneStep = { kind: 'wait' };

/**
 * One partition's panes as known to one process: the records of the panes topic, and the panes
 * closed here. Several processes may read the partition at a time, and all agree on which records
 * count. Uses no I/O and no clock.
 *
 * A process closes a pane that has a counted record exactly at the offsets in that record, and
 * writes nothing. Once it has followed all counted records, it closes panes by the partition's own
 * watermark and writes a record for each. It writes the next record only after it has read back
 * that its last one counts.
 */
export class PartitionPanes<Record extends PaneHead = PaneHead> {
  readonly #fold: PaneFold<Record>;
  /** Counted records that are not followed yet, by the pane after which they begin. */
  readonly #next = new Map<number, Record>();
  /** Last pane closed here. */
  #closed: PanesKnown;
  /** Whether a counted record agrees with the last pane closed here. */
  #isCounted = true;
  /** Head of the last record written, until the next pane closes. */
  #written: PaneHead | undefined;
  /** Why the panes closed here differ from the counted records; undefined while they agree. */
  #conflict: string | undefined;

  /** @param known last pane that the partition's checkpoint states */
  constructor(known?: PanesKnown) {
    this.#fold = new PaneFold(known);
    this.#closed = this.#fold.known;
  }

  /** Last pane closed here, with its offsets. */
  get closed(): PanesKnown {
    return this.#closed;
  }

  /** Whether the newest pane closed here agrees with a counted record. */
  get isCounted(): boolean {
    return this.#isCounted && this.#conflict === undefined;
  }

  /** The newest pane that any process is known to have closed. */
  get newest(): number {
    return Math.max(this.#fold.known.through, this.#closed.through);
  }

  /**
   * Offsets at which the next pane closes according to its counted record; undefined if there is no
   * such record. Reading must not pass these offsets.
   */
  get limit(): Cut | undefined {
    return this.#following?.to;
  }

  /**
   * Process a record of the panes topic.
   *
   * @returns whether records before it are missing
   */
  take(record: Record): boolean {
    const { counted, isLost } = this.#fold.take(record);
    const own = counted.findIndex((each) => this.#isClosedHere(each));
    if (own !== -1) {
      this.#isCounted = true;
    }
    for (const each of counted.slice(own + 1)) {
      if (this.#isBehind(each)) {
        this.#next.set(each.after, each);
      } else {
        this.#conflict = `pane ${each.pane} was closed elsewhere`;
      }
    }
    return isLost;
  }

  /**
   * Decide what to do next.
   *
   * @param isTopicRead whether everything that the topic held when reading started is read
   */
  step(stand: PartitionStand, isTopicRead: boolean): PaneStep {
    if (this.#conflict !== undefined) {
      return {
        kind: 'reload',
        why: this.#conflict,
      };
    }
    if (!isTopicRead) return WAIT;
    const { through } = this.#closed;
    const following = this.#following;
    if (following === undefined) {
      if (!this.#isCounted) return WAIT;
      const pane = this.#after(through, stand.oldestOpen, stand.closable);
      // Before the first event there is no pane.
      const isDue = Number.isFinite(pane) && pane <= stand.closable;
      return isDue
        ? {
            kind: 'write',
            pane,
          }
        : WAIT;
    }
    const most = Math.max(following.after, Math.min(through + 1, following.pane));
    const pane = this.#after(through, stand.oldestOpen, most);
    if (isBeyond(stand.read, following.to)) {
      // If the valid record also continues further on, records in between are lost.
      if (isBeyond(this.#closed.to, following.to)) {
        return {
          kind: 'pass',
          pane,
        };
      }
      return {
        kind: 'reload',
        why: `it was read further than pane ${following.pane}`,
      };
    }
    const isRead = stand.isRead(following);
    if (following.after <= through) {
      return isRead
        ? {
            kind: 'follow',
            head: following,
          }
        : WAIT;
    }
    return isRead || pane <= stand.closable
      ? {
          kind: 'pass',
          pane,
        }
      : WAIT;
  }

  /** Note that a pane was closed at the offsets of its record. */
  followed(head: PaneHead): void {
    this.#next.delete(this.#closed.through);
    this.#close(
      {
        through: head.through,
        to: head.to,
      },
      true,
    );
  }

  /**
   * Note that a pane, and the empty ones after it, were closed by the partition's own watermark.
   */
  wrote(head: PaneHead): void {
    this.#close(
      {
        through: head.through,
        to: head.to,
      },
      false,
    );
    this.#written = head;
  }

  /** Note that a pane without a record was closed. */
  passed(through: number, to: Cut): void {
    this.#close({ through, to }, true);
  }

  /**
   * Stop waiting for the written record to count; all readers will find that a record is missing.
   */
  giveUp(): void {
    this.#isCounted = true;
  }

  /**
   * The last pane that may be closed together with this one: the last of the empty panes after it.
   */
  throughOf(pane: number, stand: PartitionStand): number {
    const most = this.#following?.after ?? stand.closable;
    return Math.max(pane, Math.min(stand.oldestOpen - 1, most));
  }

  /** The next counted record to follow; records before it may be missing. */
  get #following(): Record | undefined {
    const first = Math.min(...this.#next.keys());
    return this.#next.get(first);
  }

  /**
   * The pane to close after `through`. If no pane was closed yet, it is the oldest open pane, or
   * `most` if that is earlier.
   */
  #after(through: number, oldestOpen: number, most: number): number {
    return through === Number.NEGATIVE_INFINITY ? Math.min(oldestOpen, most) : through + 1;
  }

  #close(closed: PanesKnown, isCounted: boolean): void {
    this.#closed = closed;
    this.#isCounted = isCounted;
    this.#written = undefined;
    for (const after of this.#next.keys()) {
      if (after < closed.through) {
        this.#next.delete(after);
      }
    }
  }

  /** Whether the record begins after everything closed here. */
  #isBehind({ after, pane }: Record): boolean {
    return this.#isCounted ? pane > this.#closed.through : after >= this.#closed.through;
  }

  /**
   * Whether the record describes the pane that was closed here last. A record with the same end but
   * another start does not, since it covers other panes.
   */
  #isClosedHere(record: Record): boolean {
    return this.#written !== undefined && isSameHead(record, this.#written);
  }
}

/** Whether reading has passed the cut in either topic. */
function isBeyond(read: Cut, cut: Cut): boolean {
  return read.exposures > cut.exposures || read.interactions > cut.interactions;
}
