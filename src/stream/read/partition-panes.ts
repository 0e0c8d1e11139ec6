import { type Cut, isSameHead, PaneFold, type PaneHead, type PanesKnown } from '../panes/fold.js';

/** Progress of a reader in a partition. */
export interface PartitionStand {
  /** Next offsets to read. */
  readonly read: Cut;
  /** The oldest pane with pending events; Infinity if there is none. */
  readonly oldestOpen: number;
  /** The newest pane that may close by event time; −Infinity if there is none. */
  readonly closable: number;
  /** Whether everything before a record's offsets is read or gone. */
  isRead(head: PaneHead): boolean;
}

/** Next action of a reader in a partition. */
export type PaneStep =
  /** Close a pane at the offsets of its record. */
  | {
      readonly kind: 'follow';
      readonly head: PaneHead;
    }
  /** Close a pane by the partition's own time, and write a record. */
  | {
      readonly kind: 'write';
      readonly pane: number;
    }
  /** Skip a pane that another reader closed at unknown offsets. */
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
 * One partition's panes as known to one reader: records of the panes topic, and panes closed here.
 * Several readers may have the partition at a time; the records that count are the same for all.
 * Without I/O or clock.
 *
 * A reader closes panes with counted records exactly at the offsets of these records, and writes
 * nothing. After them it closes panes by its own time, writes a record, and writes the next one
 * when it has read that its own counts.
 */
export class PartitionPanes<Record extends PaneHead = PaneHead> {
  readonly #fold: PaneFold<Record>;
  /** Counted records, by the pane that they follow. */
  readonly #next = new Map<number, Record>();
  /** Last pane closed here. */
  #closed: PanesKnown;
  /** Whether a counted record agrees with it. */
  #isCounted = true;
  /** The last record written. */
  #written: PaneHead | undefined;
  #conflict: string | undefined;

  /** @param known last pane of the checkpoint */
  constructor(known?: PanesKnown) {
    this.#fold = new PaneFold(known);
    this.#closed = this.#fold.known;
  }

  get closed(): PanesKnown {
    return this.#closed;
  }

  /** Whether the newest pane closed here agrees with a counted record. */
  get isCounted(): boolean {
    return this.#isCounted && this.#conflict === undefined;
  }

  /** The newest pane known to be closed by any reader. */
  get newest(): number {
    return Math.max(this.#fold.known.through, this.#closed.through);
  }

  /** Offsets up to which the partition may be read before its next pane closes; undefined if unknown. */
  get limit(): Cut | undefined {
    return this.#following?.to;
  }

  /** Process a record of the topic; @returns whether records before it are missing */
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

  /** @param isTopicRead whether the topic's content at the start of reading is read */
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
      // Also what counts goes further: records between are lost, and no state is before both.
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

  /** Record that a pane closed at the offsets of its record. */
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

  /** Record that a pane and the empty ones after it closed here by its own time. */
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

  /** Record that a pane without a record was closed here. */
  passed(through: number, to: Cut): void {
    this.#close({ through, to }, true);
  }

  /** Stop waiting for the written record; readers will find that it is missing. */
  giveUp(): void {
    this.#isCounted = true;
  }

  /** Last empty pane that may be closed together with a pane. */
  throughOf(pane: number, stand: PartitionStand): number {
    const most = this.#following?.after ?? stand.closable;
    return Math.max(pane, Math.min(stand.oldestOpen - 1, most));
  }

  /** The next counted record, which may skip missing ones. */
  get #following(): Record | undefined {
    const first = Math.min(...this.#next.keys());
    return this.#next.get(first);
  }

  /** The next pane after one; before the first there is nothing to close. */
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

  /** Whether the record comes after everything closed here. */
  #isBehind({ after, pane }: Record): boolean {
    return this.#isCounted ? pane > this.#closed.through : after >= this.#closed.through;
  }

  /**
   * Whether the record is of the pane closed here. A record with another start is not, even with
   * the same end, since earlier panes then differ.
   */
  #isClosedHere(record: Record): boolean {
    return this.#written !== undefined && isSameHead(record, this.#written);
  }
}

function isBeyond(read: Cut, cut: Cut): boolean {
  return read.exposures > cut.exposures || read.interactions > cut.interactions;
}
