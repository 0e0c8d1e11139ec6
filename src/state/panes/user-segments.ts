import { enlarged } from '../../events/column-table.js';
import { MISSING, type SegmentSource } from '../../events/dimensions.js';
import type { SegmentCodes } from '../../events/segment-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { adoptedSegments, readSegments, type SegmentNames, writeSegments } from './row-segments.js';

const NEVER = -1;
const SLICE = 65_536;

/**
 * The latest segment values of each user, by event time. They cover the dimensions that come from
 * lists or from any event of the user. A user's values are missing again after a popularity horizon
 * without an event that gives one. 8 bytes per user, and 2 for each of these dimensions.
 */
export class UserSegments {
  readonly #here: SegmentNames;
  readonly #sources: readonly SegmentSource[];
  /** Number of panes after which a user's values become missing if no event gives one. */
  readonly #panes: number;
  /**
   * By dimension and user: code of the value. Empty for dimensions given by the interaction itself.
   */
  readonly #codes: Uint16Array[];
  /** By user: the newest pane with a value, or −1. */
  #heard = new Float64Array(0);

  constructor(here: SegmentNames, panes: number) {
    this.#here = here;
    this.#panes = panes;
    this.#sources = here.dimensions.map(({ from }) => from);
    this.#codes = this.#sources.map(() => new Uint16Array(0));
  }

  /** Update a user's values from an event. */
  hear(
    pane: number,
    user: number,
    kind: 'interaction' | 'exposure',
    from: SegmentCodes,
    r: number,
  ) {
    const { dimensions, codes } = from;
    for (let d = 0; d < dimensions; d++) {
      const code = codes[r * dimensions + d] ?? MISSING;
      if (code === MISSING) continue;
      const source = this.#sources[d];
      if (source === 'interaction' || (source === 'exposure' && kind === 'interaction')) continue;
      if (user >= this.#heard.length) {
        this.#grow(user);
      }
      if (!this.#isHeard(user, pane)) {
        this.#forget(user);
      }
      this.#codes[d][user] = code;
      this.#heard[user] = pane;
    }
  }

  /** Write the segment codes of event r and its user into a row, after `hear`. */
  codesOf(pane: number, user: number, from: SegmentCodes, r: number, into: RowCodes, row: number) {
    const isHeard = user < this.#heard.length && this.#isHeard(user, pane);
    for (let d = 0; d < into.length; d++) {
      if (this.#sources[d] === 'interaction') {
        into[d][row] = from.codes[r * from.dimensions + d] ?? MISSING;
      } else if (isHeard) {
        into[d][row] = this.#codes[d][user];
      }
    }
  }

  /** Mark the users with values as in use: flags[user] = 1. Drops values that are too old. */
  *mark(flags: Uint8Array, newest: number): Generator<void, void> {
    const size = Math.min(flags.length, this.#heard.length);
    for (let user = 0; user < size; user++) {
      if (this.#heard[user] === NEVER) continue;
      if (this.#isHeard(user, newest)) {
        flags[user] = 1;
      } else {
        this.#forget(user);
      }
      if (user % SLICE === SLICE - 1) {
        yield;
      }
    }
  }

  write(to: BinaryWriter): void {
    const users: number[] = [];
    for (let user = 0; user < this.#heard.length; user++) {
      if (this.#heard[user] !== NEVER) {
        users.push(user);
      }
    }
    to.column(Int32Array.from(users));
    to.column(Float64Array.from(users, (user) => this.#heard[user]));
    const { dimensions, names } = this.#here;
    writeSegments(
      to,
      {
        dimensions: dimensions.map(({ name }) => name),
        names,
        codes: this.#codes.map((codes) => Uint16Array.from(users, (user) => codes[user])),
      },
      users.length,
    );
  }

  /** @param into target; undefined if segments are no longer configured. */
  static read(from: BinaryReader, into: UserSegments | undefined): void {
    const users = from.int32();
    const heard = from.float64();
    const read = readSegments(from);
    if (into === undefined) return;
    const { codes } = adoptedSegments(read, into.#here, users.length);
    if (users.length > 0) {
      into.#grow(users[users.length - 1]);
    }
    for (let n = 0; n < users.length; n++) {
      into.#heard[users[n]] = heard[n];
      for (let d = 0; d < codes.length; d++) {
        if (into.#sources[d] !== 'interaction') {
          into.#codes[d][users[n]] = codes[d][n];
        }
      }
    }
  }

  #isHeard(user: number, pane: number): boolean {
    return this.#heard[user] !== NEVER && pane - this.#heard[user] <= this.#panes;
  }

  #forget(user: number): void {
    this.#heard[user] = NEVER;
    for (const codes of this.#codes) {
      if (codes.length > 0) {
        codes[user] = MISSING;
      }
    }
  }

  #grow(user: number): void {
    const before = this.#heard.length;
    const capacity = Math.max(1024, user + 1, 2 * before);
    this.#heard = enlarged(this.#heard, capacity).fill(NEVER, before);
    this.#sources.forEach((source, d) => {
      if (source !== 'interaction') {
        this.#codes[d] = enlarged(this.#codes[d], capacity);
      }
    });
  }
}

/** Codes of the rows under construction, by dimension. */
export type RowCodes = readonly Uint16Array[];
