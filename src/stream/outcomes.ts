import { FAULT_REASONS } from '../events/fault.js';
import type { Reading } from '../events/readings.js';
import type { RequestFault, RequestTally } from '../state/requests/request-faults.js';

/** Counts of events by outcome, for another process; without outcomes that did not occur. */
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

/** Counts of events by outcome; every event has exactly one of the first eight. */
export class Outcomes {
  /** Events received, counted before processing; 0 if not counted. */
  read = 0;
  accepted = 0;
  duplicate = 0;
  late = 0;
  /** Events of a foreign schema that are neither exposures nor interactions. */
  ignored = 0;
  /** Valid events dropped because the limit of items was reached. */
  overItemLimit = 0;
  /** Events of users to be forgotten. */
  forgotten = 0;
  /** Records without a value, which delete a key in compacted topics and from Debezium. */
  tombstone = 0;
  /** By fault code; index 0 stays 0. */
  readonly faults: number[] = new Array(FAULT_REASONS.length).fill(0);
  /**
   * Exposures whose list was dropped because there are too many models; in a stream, because of too
   * many model names.
   */
  modelOverCap = 0;
  /** Faults of requests in files; in a stream panes report them. */
  readonly requestFaults = new Map<RequestFault, number>();

  /** Events of files with an ambiguous value, by how it was read. */
  readonly readings = new Map<string, number>();

  /** Events whose time was checked. */
  get timed(): number {
    return this.accepted + this.duplicate + this.late;
  }

  /** Received events without an outcome, which indicate a bug; normally 0. */
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

  /** Read the output of `stored`; unknown reasons count as read only. */
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

  /** Add a pane's report on its requests. */
  addRequests(tally: RequestTally | undefined): void {
    for (const [fault, count] of tally?.faults ?? []) {
      this.requestFaults.set(fault, (this.requestFaults.get(fault) ?? 0) + count);
    }
  }

  /** Count events with an ambiguous value. */
  addReading(reading: Reading, count: number): void {
    if (count === 0) return;
    this.readings.set(reading, (this.readings.get(reading) ?? 0) + count);
  }

  /** Call back for each outcome that occurred, with its label value. */
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
