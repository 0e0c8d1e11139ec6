import { FAULT_REASONS } from '../events/fault.js';
import type { Reading } from '../events/readings.js';
import type { RequestFault, RequestTally } from '../state/requests/request-faults.js';

/**
 * Counts of events by outcome as plain data, for records and checkpoints; outcomes that did not
 * occur are left out.
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

/**
 * Counts of events by outcome. Every event has exactly one of the outcomes from `accepted` to
 * `faults`.
 */
export class Outcomes {
  /** Number of events received, counted before they are processed; 0 if that is not counted. */
  read = 0;
  accepted = 0;
  duplicate = 0;
  late = 0;
  /** Events of a foreign schema that are neither exposures nor interactions. */
  ignored = 0;
  /** Valid events dropped because the limit of items was reached. */
  overItemLimit = 0;
  /** Events of users who were forgotten on request (`unskew forget`). */
  forgotten = 0;
  /** Records without a value, as compacted topics and Debezium use to delete a key. */
  tombstone = 0;
  /** Number of invalid events by fault code; index 0 stays 0. */
  readonly faults: number[] = new Array(FAULT_REASONS.length).fill(0);
  /**
   * In files: exposures dropped because there are too many models. In a stream: exposures dropped
   * because there are too many model names.
   */
  modelOverCap = 0;
  /**
   * Number of invalid requests in files, by reason. In a stream the panes report invalid requests.
   */
  readonly requestFaults = new Map<RequestFault, number>();

  /** Number of events in files with an ambiguous value, by the way in which the value was read. */
  readonly readings = new Map<string, number>();

  /** Number of events that passed decoding, so that their time was checked. */
  get timed(): number {
    return this.accepted + this.duplicate + this.late;
  }

  /** Number of received events without an outcome. Anything but 0 indicates a bug. */
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

  /** The counts as plain data. */
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

  /**
   * Read the output of `stored`. An event whose fault reason is unknown to this version counts in
   * `read` only.
   */
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

  /** Add the invalid requests that a pane reports. */
  addRequests(tally: RequestTally | undefined): void {
    for (const [fault, count] of tally?.faults ?? []) {
      this.requestFaults.set(fault, (this.requestFaults.get(fault) ?? 0) + count);
    }
  }

  /** Count events whose value is ambiguous, under the way it was read. */
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
