import { DamagedCheckpoint } from '../../errors.js';
import { hashBytes } from '../../events/hash.js';
import { BinaryReader } from '../../state/binary/binary-reader.js';
import { BinaryWriter, ChunkPool } from '../../state/binary/binary-writer.js';
import { readPlain, writePlain } from '../../state/binary/plain-data.js';
import type { Interner } from '../../state/ids/interner.js';
import type { PaneContent } from '../../state/panes/pane-content.js';
import { renumberedPane } from '../../state/panes/renumbered-pane.js';
import type { StoredOutcomes } from '../outcomes.js';
import type { TopicRole } from '../ports.js';
import type { PaneHead } from './fold.js';

/** Head of a record of the panes topic: facts about a closed pane, without its content. */
export interface PaneRecordHead extends PaneHead {
  /** Number of partitions of the topics. */
  readonly partitions: number;
  /** Length of a pane, ms. */
  readonly tickMs: number;
  /** Short hash of the settings that numbers depend on. */
  readonly rules: string;
  /** Delay between the pane's end and its closing, wall clock, ms; undefined in older records. */
  readonly behindMs?: number;
  /** Whether the pane has no events. */
  readonly isEmpty: boolean;
  /** Outcomes of the events since the previous record. */
  readonly outcomes: Readonly<Record<TopicRole, StoredOutcomes>>;
  /** Newest event time by topic, ms. */
  readonly newest: Readonly<Record<TopicRole, number>>;
}

/** Id tables of a process for one partition. */
export interface PaneTables {
  readonly items: Interner;
  readonly models: Interner;
  readonly users: Interner;
}

/**
 * Id that replaces the ids of users to be forgotten, which older records of the topic still
 * contain.
 */
const FORGOTTEN = new TextEncoder().encode('forgotten');
/** Number of ids processed between two yields. */
const SLICE_IDS = 4096;
const FORMAT = 1;
const PADDING = 16;

/**
 * Writes the content of a closed pane of one partition for another process: ids as texts, and
 * everything else by numbers that are local to the record.
 */
export class PaneRecordWriter {
  readonly #pool = new ChunkPool();
  /**
   * For each table, by number of an id: its local number plus one. All are 0 between two records.
   */
  readonly #scratch = new Map<Interner, Int32Array>();

  *write(
    head: PaneRecordHead,
    content: PaneContent,
    tables: PaneTables,
  ): Generator<void, Uint8Array> {
    const items = this.#localIds(tables.items);
    const users = this.#localIds(tables.users);
    const models = this.#localIds(tables.models);
    const local = renumberedPane(content, {
      item: items.place,
      user: users.place,
      model: models.place,
    });
    yield;
    const to = new BinaryWriter(this.#pool);
    to.number(FORMAT);
    writePlain(to, head);
    for (const ids of [items, users, models]) {
      yield* ids.write(to);
    }
    writePlain(to, local);
    const pieces = to.finish();
    const bytes = joined(pieces);
    this.#pool.giveBack(pieces);
    return bytes;
  }

  #localIds(table: Interner): LocalIds {
    let places = this.#scratch.get(table);
    if (places === undefined || places.length < table.size) {
      places = new Int32Array(2 * table.size);
      this.#scratch.set(table, places);
    }
    return new LocalIds(table, places);
  }
}

/** A record whose content is read on demand. */
export interface PaneRecord extends PaneRecordHead {
  readonly bytes: number;
  /** The content, renumbered for these tables. To be called once; yields regularly. */
  content(tables: PaneTables): Generator<void, PaneContent>;
}

/**
 * Read the head of a record of the panes topic; the content is read on demand.
 *
 * @throws DamagedCheckpoint if the bytes are not such a record
 */
export function readPaneRecord(bytes: Uint8Array): PaneRecord {
  const from = new BinaryReader(bytes);
  const format = from.number();
  if (format !== FORMAT) throw new DamagedCheckpoint(`a pane record of format ${format}`);
  const head = readPlain<PaneRecordHead>(from);
  return {
    ...head,
    bytes: bytes.length,
    *content(tables) {
      const item = yield* readIds(from, tables.items);
      const user = yield* readIds(from, tables.users);
      const model = yield* readIds(from, tables.models);
      const local = readPlain<PaneContent>(from);
      if (from.left >= PADDING) throw new DamagedCheckpoint('a pane record is longer than it says');
      const numberIn = (numbers: Int32Array) => (place: number) => {
        const number = numbers[place];
        if (number === undefined) throw new DamagedCheckpoint('an id in a pane record has no text');
        return number;
      };
      return renumberedPane(local, {
        item: numberIn(item),
        user: numberIn(user),
        model: numberIn(model),
      });
    },
  };
}

/** Local numbers of a table's ids in one record, in order of first use. */
class LocalIds {
  readonly #table: Interner;
  /** By number: the local number plus one; 0 for an unused id. */
  readonly #places: Int32Array;
  readonly #numbers: number[] = [];

  /** @param places zeros, at least one per number of the table; `write` resets them */
  constructor(table: Interner, places: Int32Array) {
    this.#table = table;
    this.#places = places;
  }

  readonly place = (number: number): number => {
    const known = this.#places[number];
    if (known > 0) return known - 1;
    this.#places[number] = this.#numbers.push(number);
    return this.#numbers.length - 1;
  };

  *write(to: BinaryWriter): Generator<void, void> {
    const lengths = new Int32Array(this.#numbers.length);
    let bytes = 0;
    for (let n = 0; n < lengths.length; n++) {
      lengths[n] = this.#table.byteLengthOf(this.#numbers[n]!);
      bytes += lengths[n];
      if (n % SLICE_IDS === SLICE_IDS - 1) {
        yield;
      }
    }
    const texts = new Uint8Array(bytes);
    let at = 0;
    for (let n = 0; n < lengths.length; n++) {
      const number = this.#numbers[n]!;
      at += this.#table.copyTo(number, texts, at);
      this.#places[number] = 0;
      if (n % SLICE_IDS === SLICE_IDS - 1) {
        yield;
      }
    }
    writePlain(to, { lengths, texts });
    yield;
  }
}

function* readIds(from: BinaryReader, table: Interner): Generator<void, Int32Array> {
  const { lengths, texts } = readPlain<{
    lengths: Int32Array;
    texts: Uint8Array;
  }>(from);
  const numbers = new Int32Array(lengths.length);
  let at = 0;
  for (let n = 0; n < lengths.length; n++) {
    const end = at + lengths[n]!;
    const isForgotten = table.refuses?.(texts, at, end) === true;
    numbers[n] = isForgotten
      ? table.take(FORGOTTEN, 0, FORGOTTEN.length, hashBytes(FORGOTTEN, 0, FORGOTTEN.length))
      : table.take(texts, at, end, hashBytes(texts, at, end));
    at = end;
    if (n % SLICE_IDS === SLICE_IDS - 1) {
      yield;
    }
  }
  return numbers;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
