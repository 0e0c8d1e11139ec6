import { type Cut, isSameHead, PaneFold, type PaneHead, type PanesKnown } from '../panes/fold.js';

/** Progress of a reader in a partition. */
export interface PartitionStand {
  /** The offsets that are read next. */
  readonly read: Cut;
  /** The oldest pane with events that wait; Infinity without any. */
  readonly oldestOpen: number;
  /** The newest pane that time allows to close; −Infinity for none. */
  readonly closable: number;
  /** Whether all that lies before a record's cut is read, or is gone from the log. */
  isRead(head: PaneHead): boolean;
}

/** What a reader does next with a partition. */
export type PaneStep =
  /** A pane closes where its record says. */
  | {
      readonly kind: 'follow';
      readonly head: PaneHead;
    }
  /** A pane closes by the partition's own time, and a record says so. */
  | {
      readonly kind: 'write';
      readonly pane: number;
    }
  /** A pane was closed by another reader at a place that nobody knows any more. */
  | {
      readonly kind: 'pass';
      readonly pane: number;
    }
  /** The state is to be taken from the checkpoint once more. */
  | {
      readonly kind: 'reload';
      readonly why: string;
    }
  | { readonly kind: 'wait' };

const WAIT: PaneStep = { kind: 'wait' };

/**
 * One partition's panes as one reader knows them: what the panes topic says, and what was closed here.
 * Any number of readers may have the partition at a time; the records that count are the same for all.
 * Without I/O and without a clock.
 *
 * A reader closes through the newest pane that counts exactly where its record says, and writes
 * nothing. Beyond it, it closes by its own time, writes, and writes the next record when it has read
 * that its own counts.
 */
export class PartitionPanes<Record extends PaneHead = PaneHead> {
  readonly #fold: PaneFold<Record>;
  /** Records that count, by the pane that they come after. */
  readonly #next = new Map<number, Record>();
  /** What was closed here. */
  #closed: PanesKnown;
  /** Whether a record that counts says the same. */
  #isCounted = true;
  /** The record that was written last. */
  #written: PaneHead | undefined;
  #conflict: string | undefined;

  /** @param known of the checkpoint that the state is from */
  constructor(known?: PanesKnown) {
    this.#fold = new PaneFold(known);
    this.#closed = this.#fold.known;
  }

  get closed(): PanesKnown {
    return this.#closed;
  }

  /** Whether all readers know the newest pane to be closed as it was here. */
  get isCounted(): boolean {
    return this.#isCounted && this.#conflict === undefined;
  }

  /** The newest pane that any reader is known to have closed. */
  get newest(): number {
    return Math.max(this.#fold.known.through, this.#closed.through);
  }

  /** How far the partition may be read before its next pane closes; undefined where nobody says. */
  get limit(): Cut | undefined {
    return this.#following?.to;
  }

  /** Takes a record of the topic; @returns whether records before it are lost */
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

  /** @param isTopicRead whether all is read that the topic held when reading began */
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

  /** A pane closed where its record says. */
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

  /** A pane closed here by its own time, and all empty panes behind it. */
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

  /** A pane closed here of which no record is left. */
  passed(through: number, to: Cut): void {
    this.#close({ through, to }, true);
  }

  /** The record that was written is not coming: the one that reads on finds that records are lost. */
  giveUp(): void {
    this.#isCounted = true;
  }

  /** Through which pane the empty ones behind a closed pane may go with it. */
  throughOf(pane: number, stand: PartitionStand): number {
    const most = this.#following?.after ?? stand.closable;
    return Math.max(pane, Math.min(stand.oldestOpen - 1, most));
  }

  /** The next record that counts: what closes next, or where records are lost a later pane. */
  get #following(): Record | undefined {
    const first = Math.min(...this.#next.keys());
    return this.#next.get(first);
  }

  /** The pane that comes after one; before the first there is nothing to be closed. */
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

  /** Whether it comes after all that was closed here. */
  #isBehind({ after, pane }: Record): boolean {
    return this.#isCounted ? pane > this.#closed.through : after >= this.#closed.through;
  }

  /**
   * Whether it is the record of what was closed here. One that ends at the same place and begins at
   * another is not: of the panes before, others hold something else.
   */
  #isClosedHere(record: Record): boolean {
    return this.#written !== undefined && isSameHead(record, this.#written);
  }
}

function isBeyond(read: Cut, cut: Cut): boolean {
  return read.exposures > cut.exposures || read.interactions > cut.interactions;
}
