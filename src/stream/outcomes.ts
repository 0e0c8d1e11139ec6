import { FAULT_REASONS } from '../events/fault.js';
import type { Reading } from '../events/readings.js';
import type { RequestFault, RequestTally } from '../state/requests/request-faults.js';

/**
 * Counts of events by outcome, as another process reads them; without outcomes that did not occur.
 */
export type StoredOutcomes = Readonly<Record<string, number>>;

const COUNTED = [
  'read',
  'accepted',
  'duplicate',
  'late',
  'ignored',
  'overItemLimit',
  'forgotten',
  'tombstone',
  'modelOverCap',
] as const;

/** What became of the events of a batch, by count: every event is in exactly one of the first eight. */
export class Outcomes {
  /** Events that came in, counted before anything is decided of them; 0 where nobody counts. */
  read = 0;
  accepted = 0;
  duplicate = 0;
  late = 0;
  /** Events of a foreign schema that are neither exposures nor interactions. */
  ignored = 0;
  /** Sound events that name an item for which there was no room. */
  overItemLimit = 0;
  /** Events of users who are to be forgotten. */
  forgotten = 0;
  /** Records without a value: that a key is deleted, as Debezium and compacted topics say it. */
  tombstone = 0;
  /** By fault code; index 0 stays 0. */
  readonly faults: number[] = new Array(FAULT_REASONS.length).fill(0);
  /** Exposures whose list was dropped because there are too many models; in a stream, names of them. */
  modelOverCap = 0;
  /** What is wrong with requests, where files are read: in a stream panes report it. */
  readonly requestFaults = new Map<RequestFault, number>();

  /** Events of files that were read as something that they may not have meant, by what. */
  readonly readings = new Map<string, number>();

  /** Events whose time was looked at. */
  get timed(): number {
    return this.accepted + this.duplicate + this.late;
  }

  /** Events that came in and that no outcome counts, which is a fault of the program; 0 if all is well. */
  get unaccounted(): number {
    let counted = 0;
    this.forEach((_, count) => {
      counted += count;
    });
    return this.read - counted;
  }

  add(other: Outcomes): void {
    this.read += other.read;
    this.accepted += other.accepted;
    this.duplicate += other.duplicate;
    this.late += other.late;
    this.ignored += other.ignored;
    this.overItemLimit += other.overItemLimit;
    this.forgotten += other.forgotten;
    this.tombstone += other.tombstone;
    this.modelOverCap += other.modelOverCap;
    for (let code = 0; code < this.faults.length; code++) {
      this.faults[code] += other.faults[code];
    }
    this.addRequests({
      faults: other.requestFaults,
      sampledOut: 0,
    });
  }

  get stored(): StoredOutcomes {
    const stored: Record<string, number> = {};
    for (const name of COUNTED) {
      if (this[name] > 0) {
        stored[name] = this[name];
      }
    }
    for (const [code, count] of this.faults.entries()) {
      if (count > 0) {
        stored[`fault ${FAULT_REASONS[code]}`] = count;
      }
    }
    return stored;
  }

  /** Reads what `stored` gave; a reason that this program does not know counts as read alone. */
  static read(stored: StoredOutcomes): Outcomes {
    const outcomes = new Outcomes();
    for (const name of COUNTED) {
      outcomes[name] = stored[name] ?? 0;
    }
    for (const [code, reason] of FAULT_REASONS.entries()) {
      outcomes.faults[code] = stored[`fault ${reason}`] ?? 0;
    }
    return outcomes;
  }

  /** Counts what a pane reports on its requests. */
  addRequests(tally: RequestTally | undefined): void {
    for (const [fault, count] of tally?.faults ?? []) {
      this.requestFaults.set(fault, (this.requestFaults.get(fault) ?? 0) + count);
    }
  }

  /** Counts events that were read so. */
  addReading(reading: Reading, count: number): void {
    if (count === 0) return;
    this.readings.set(reading, (this.readings.get(reading) ?? 0) + count);
  }

  /** Calls back for each outcome that occurred, under its label value. */
  forEach(visit: (outcome: string, count: number) => void): void {
    if (this.accepted > 0) {
      visit('accepted', this.accepted);
    }
    if (this.duplicate > 0) {
      visit('duplicate', this.duplicate);
    }
    if (this.late > 0) {
      visit('late', this.late);
    }
    if (this.ignored > 0) {
      visit('ignored', this.ignored);
    }
    if (this.overItemLimit > 0) {
      visit('over_item_limit', this.overItemLimit);
    }
    if (this.forgotten > 0) {
      visit('forgotten', this.forgotten);
    }
    if (this.tombstone > 0) {
      visit('tombstone', this.tombstone);
    }
    this.faults.forEach((count, code) => {
      if (count > 0) {
        visit(FAULT_REASONS[code], count);
      }
    });
  }
}
