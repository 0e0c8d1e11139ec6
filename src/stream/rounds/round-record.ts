/**
 * What is written to the log of rounds, and its bytes: a format, a kind, then the fields in their
 * order. Everything has a bound; what is not exactly a record is refused.
 */

/** Where a partition's pane ended: a worker that closes it again has to close it there. */
export interface Cut {
  /** Next offset of each topic. */
  readonly exposures: number;
  readonly interactions: number;
  /** Depth from which on users were kept. */
  readonly level: number;
  /** Names of the models that had a place. */
  readonly models: readonly string[];
}

export interface PaneCut {
  readonly pane: number;
  readonly partition: number;
  readonly cut: Cut;
  /** The pane was concluded: this cut holds against one of a pane that was under way. */
  readonly isConcluded: boolean;
}

/** Takes a partition over, if `over` is the claim that stands. */
export interface Claim {
  readonly kind: 'claim';
  readonly partition: number;
  /** Drawn at random for each claim. */
  readonly nonce: string;
  /** Nonce of the claim that it ends; empty where there is none. */
  readonly over: string;
  /** How many partitions there are, as far as the claimant knows. */
  readonly count: number;
  /** What the numbers are computed by: all workers of a log compute by the same. */
  readonly algorithm: string;
}

/** Gives a partition up: its worker stops. */
export interface Release {
  readonly kind: 'release';
  readonly partition: number;
  readonly nonce: string;
}

/** The first round of a pane: it is closed here. */
export interface Closing {
  readonly kind: 'closing';
  readonly partition: number;
  readonly nonce: string;
  readonly pane: number;
  readonly cut: Cut;
  /** The earliest pane after it that has anything in this partition; null if it knows of none. */
  readonly next: number | null;
  /** It had nothing. Where that is so everywhere, the pane is concluded without more rounds. */
  readonly isEmpty: boolean;
  readonly payload: Uint8Array;
}

/** A later round of a pane. */
export interface Sums {
  readonly kind: 'sums';
  readonly partition: number;
  readonly nonce: string;
  readonly pane: number;
  /** 1 or more: a tick has some dozens for each window. */
  readonly round: number;
  readonly payload: Uint8Array;
}

/** With a log that has just begun: all that a partition has through a pane. */
export interface Base {
  readonly kind: 'base';
  readonly partition: number;
  readonly nonce: string;
  /** −Infinity: nothing is closed yet. */
  readonly pane: number;
  readonly next: number | null;
  /** Of all partitions, as far as this worker knows them. */
  readonly cuts: readonly PaneCut[];
  readonly payload: Uint8Array;
}

/** A checkpoint of the partition at this pane is kept. */
export interface Saved {
  readonly kind: 'saved';
  readonly partition: number;
  readonly nonce: string;
  readonly pane: number;
  /** The one of that checkpoint, with the first partition; else null, since one is enough. */
  readonly note: LedgerNote | null;
}

/** The log was lost or cut short: its writer knows more than it says. Partitions gather again. */
export interface Restart {
  readonly kind: 'restart';
  /** Drawn at random: from here on the log is named by it. */
  readonly nonce: string;
  /** What the log was named by, as its writer read it; null: its writer could not read it. */
  readonly over: string | null;
  /** The newest pane that its writer knows to be concluded; −Infinity: none. */
  readonly pane: number;
  /** Of all partitions, as far as its writer knows them. */
  readonly cuts: readonly PaneCut[];
  /** From where its writer has read what is left of the log; null: from its beginning, or not. */
  readonly note: LedgerNote | null;
}

/**
 * What a log said when it last concluded a pane; `position` is where to read on. Who cannot read a
 * log from its beginning begins at a note that a checkpoint holds, or a record.
 */
export interface LedgerNote {
  readonly position: string;
  readonly epoch: string;
  readonly algorithm: string;
  readonly count: number;
  readonly concluded: number;
  readonly pane: number;
  readonly members: number;
  readonly claims: readonly (readonly [partition: number, nonce: string])[];
  readonly isHeld: boolean;
  readonly cuts: readonly PaneCut[];
  readonly conclusions: readonly Conclusion[];
  /** By partition the panes of the newest checkpoint and of the one before. */
  readonly saved: readonly (readonly [number, readonly [number, number | null]])[];
}

export interface Conclusion {
  readonly pane: number;
  readonly position: string;
}

export type LogRecord = Claim | Release | Closing | Sums | Base | Saved | Restart;

/** Of every number that counts partitions. */
export const MOST_PARTITIONS = 65_535;
const MOST_MODELS = 4_096;
const MOST_CUTS = 1_000_000;
const LONGEST_TEXT = 4_096;

const FORMAT = 0x52;
const VERSION = 1;
const KINDS = ['claim', 'release', 'closing', 'sums', 'base', 'saved', 'restart'] as const;

/**
 * @throws RangeError where a field is out of its bounds
 * @example
 * const bytes = encodeRecord({ kind: 'release', partition: 3, nonce: 'n' });
 * decodeRecord(bytes); // { kind: 'release', partition: 3, nonce: 'n' }
 */
export function encodeRecord(record: LogRecord): Uint8Array {
  const to = new FieldWriter();
  to.uint8(FORMAT);
  to.uint8(VERSION);
  to.uint8(KINDS.indexOf(record.kind));
  to.text(record.nonce);
  if (record.kind === 'restart') {
    to.flag(record.over === null);
    to.text(record.over ?? '');
    to.number(record.pane);
    to.cuts(record.cuts);
    to.noteOrNone(record.note);
    return to.bytes();
  }
  to.uint16(record.partition);
  switch (record.kind) {
    case 'claim':
      to.text(record.over);
      to.uint16(record.count);
      to.text(record.algorithm);
      break;
    case 'closing':
      to.number(record.pane);
      to.cut(record.cut);
      to.number(record.next ?? Number.NaN);
      to.flag(record.isEmpty);
      to.rest(record.payload);
      break;
    case 'sums':
      to.number(record.pane);
      to.uint16(record.round);
      to.rest(record.payload);
      break;
    case 'base':
      to.number(record.pane);
      to.number(record.next ?? Number.NaN);
      to.cuts(record.cuts);
      to.rest(record.payload);
      break;
    case 'saved':
      to.number(record.pane);
      to.noteOrNone(record.note);
      break;
    case 'release':
      break;
  }
  return to.bytes();
}

/** undefined for bytes that are no record of this format. */
export function decodeRecord(bytes: Uint8Array): LogRecord | undefined {
  const from = new FieldReader(bytes);
  try {
    const record = decoded(from);
    return from.left === 0 ? record : undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function decoded(from: FieldReader): LogRecord {
  if (from.uint8() !== FORMAT || from.uint8() !== VERSION)
    throw new RangeError('of another format');
  const kind = KINDS[from.uint8()];
  const nonce = from.text();
  if (kind === 'restart') {
    const [isBlind, named, pane] = [from.flag(), from.text(), from.paneOrNever()];
    if (isBlind && named !== '') throw new RangeError('a name of what could not be read');
    const [cuts, note] = [from.cuts(), from.noteOrNone()];
    return { kind, nonce, over: isBlind ? null : named, pane, cuts, note };
  }
  const partition = from.uint16();
  switch (kind) {
    case 'claim': {
      const [over, count, algorithm] = [from.text(), from.uint16(), from.text()];
      if (partition >= count) throw new RangeError('a partition beyond their number');
      return { kind, partition, nonce, over, count, algorithm };
    }
    case 'release':
      return { kind, partition, nonce };
    case 'closing': {
      const [pane, cut, next, isEmpty] = [from.pane(), from.cut(), from.next(), from.flag()];
      if (next !== null && next <= pane) throw new RangeError('a pane that comes before this one');
      return { kind, partition, nonce, pane, cut, next, isEmpty, payload: from.rest() };
    }
    case 'sums': {
      const [pane, round] = [from.pane(), from.uint16()];
      if (round === 0) throw new RangeError('not a later round');
      return { kind, partition, nonce, pane, round, payload: from.rest() };
    }
    case 'base': {
      const [pane, next, cuts] = [from.paneOrNever(), from.next(), from.cuts()];
      return { kind, partition, nonce, pane, next, cuts, payload: from.rest() };
    }
    case 'saved':
      return { kind, partition, nonce, pane: from.pane(), note: from.noteOrNone() };
    default:
      throw new RangeError('of no known kind');
  }
}

function bounded(value: number, most: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new RangeError(`${value} is not within 0 and ${most}`);
}

class FieldWriter {
  readonly #chunks: Uint8Array[] = [];

  uint8(value: number): void {
    this.#chunks.push(Uint8Array.of(bounded(value, 255)));
  }

  flag(value: boolean): void {
    this.uint8(value ? 1 : 0);
  }

  uint16(value: number): void {
    bounded(value, MOST_PARTITIONS);
    this.#chunks.push(Uint8Array.of(value & 255, value >> 8));
  }

  uint32(value: number): void {
    this.#write(4, (view) => view.setUint32(0, value, true));
  }

  number(value: number): void {
    this.#write(8, (view) => view.setFloat64(0, value, true));
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.uint16(bounded(bytes.length, LONGEST_TEXT));
    this.#chunks.push(bytes);
  }

  cut({ exposures, interactions, level, models }: Cut): void {
    for (const value of [exposures, interactions, level]) this.number(value);
    this.uint16(bounded(models.length, MOST_MODELS));
    for (const model of models) this.text(model);
  }

  cuts(cuts: readonly PaneCut[]): void {
    this.uint32(bounded(cuts.length, MOST_CUTS));
    for (const { pane, partition, cut, isConcluded } of cuts) {
      this.number(pane);
      this.uint16(partition);
      this.cut(cut);
      this.flag(isConcluded);
    }
  }

  noteOrNone(note: LedgerNote | null): void {
    this.flag(note !== null);
    if (note === null) return;
    for (const text of [note.position, note.epoch, note.algorithm]) this.text(text);
    for (const count of [note.count, note.members]) this.uint16(count);
    for (const pane of [note.concluded, note.pane]) this.number(pane);
    this.flag(note.isHeld);
    this.uint16(note.claims.length);
    for (const [partition, nonce] of note.claims) {
      this.uint16(partition);
      this.text(nonce);
    }
    this.cuts(note.cuts);
    this.uint32(bounded(note.conclusions.length, MOST_CUTS));
    for (const { pane, position } of note.conclusions) {
      this.number(pane);
      this.text(position);
    }
    this.uint16(note.saved.length);
    for (const [partition, [newest, before]] of note.saved) {
      this.uint16(partition);
      this.number(newest);
      this.number(before ?? Number.NaN);
    }
  }

  rest(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  #write(length: number, set: (view: DataView) => void): void {
    const bytes = new Uint8Array(length);
    set(new DataView(bytes.buffer));
    this.#chunks.push(bytes);
  }
}

/** Each field throws a RangeError where the bytes end before it does, or it is out of bounds. */
class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  flag(): boolean {
    return bounded(this.uint8(), 1) === 1;
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  text(): string {
    const length = bounded(this.uint16(), LONGEST_TEXT);
    const at = this.#take(length);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      this.#bytes.subarray(at, at + length),
    );
  }

  pane(): number {
    const pane = this.#number();
    if (!Number.isSafeInteger(pane)) throw new RangeError('not a pane');
    return pane;
  }

  paneOrNever(): number {
    const pane = this.#number();
    if (pane !== Number.NEGATIVE_INFINITY && !Number.isSafeInteger(pane)) {
      throw new RangeError('not a pane');
    }
    return pane;
  }

  next(): number | null {
    const next = this.#number();
    if (!Number.isNaN(next) && !Number.isSafeInteger(next)) throw new RangeError('not a pane');
    return Number.isNaN(next) ? null : next;
  }

  cut(): Cut {
    const [exposures, interactions, level] = [this.#count(), this.#count(), this.#count()];
    const length = bounded(this.uint16(), MOST_MODELS);
    const models = Array.from({ length }, () => this.text());
    return { exposures, interactions, level, models };
  }

  cuts(): readonly PaneCut[] {
    return this.#list(this.uint32(), () => {
      const [pane, partition, cut] = [this.pane(), this.uint16(), this.cut()];
      return { pane, partition, cut, isConcluded: this.flag() };
    });
  }

  noteOrNone(): LedgerNote | null {
    if (!this.flag()) return null;
    const [position, epoch, algorithm] = [this.text(), this.text(), this.text()];
    const [count, members] = [this.uint16(), this.uint16()];
    const [concluded, pane, isHeld] = [this.pane(), this.pane(), this.flag()];
    const claims = this.#list(this.uint16(), () => [this.uint16(), this.text()] as const);
    const cuts = this.cuts();
    const conclusions = this.#list(this.uint32(), () => {
      return { pane: this.pane(), position: this.text() };
    });
    const saved = this.#list(this.uint16(), () => {
      return [this.uint16(), [this.pane(), this.next()]] as const;
    });
    return {
      ...{ position, epoch, algorithm, count, members, concluded, pane, isHeld, claims, cuts },
      ...{ conclusions, saved },
    };
  }

  /** A copy, which does not keep all else. */
  rest(): Uint8Array {
    const at = this.#take(this.left);
    return new Uint8Array(this.#bytes.subarray(at));
  }

  #list<T>(length: number, read: () => T): T[] {
    if (length > MOST_CUTS) throw new RangeError('too many of something');
    const list: T[] = [];
    for (let n = 0; n < length; n++) list.push(read());
    return list;
  }

  #count(): number {
    return bounded(this.#number(), Number.MAX_SAFE_INTEGER);
  }

  #number(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  #take(length: number): number {
    if (length > this.left) throw new RangeError('the bytes end too early');
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
