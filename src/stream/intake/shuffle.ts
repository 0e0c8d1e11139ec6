import { EventDraft } from '../../events/draft.js';
import { type ExposureEvent, encodeEvent, type InteractionEvent } from '../../events/encode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../../events/fault.js';
import { PayloadFault } from '../../events/formats/cursor.js';
import type { Format } from '../../events/formats/frame.js';
import { asCanonical, wantedIn } from '../../events/formats/framed.js';
import { FramedValues } from '../../events/formats/framed-values.js';
import type { SchemaTable } from '../../events/formats/schema.js';
import type { RecordContext } from '../../events/found.js';
import {
  type CompiledMapping,
  compileMapping,
  type Mapping,
} from '../../events/mapping/mapping.js';
import { EventParser, type EventRole } from '../../events/parse.js';
import type { Pseudonyms } from '../../events/pseudonyms.js';
import type { SourceProgress } from '../panes/source-times.js';
import type { DeadLetter, OutgoingRecord, TopicRole } from '../ports.js';
import { isFault, partOf, writePart } from './part.js';
import { sourceHeaders } from './record-sources.js';

/** How the records of a topic are read. */
interface RecordReading {
  /** What its events are, if they do not say. */
  readonly events: EventRole;
  readonly mapping?: Mapping | undefined;
  readonly maxEventBytes: number;
  /** How far ahead of its record's time an event may lie, ms. */
  readonly maxFutureMs: number;
  /** What users are called by; undefined: by their ids. */
  readonly pseudonyms?: Pseudonyms | undefined;
  /** How its records are written; JSON if nothing is said. */
  readonly format?: Format | undefined;
  /** The schemas that framed records are read by, which are found before these are read. */
  readonly schemas?: SchemaTable | undefined;
}

/** What came of a record. */
type CanonicalRecord =
  | {
      readonly kind: 'event';
      readonly role: TopicRole;
      readonly user: string;
      /** The event in canonical form. */
      readonly value: string;
      /** Event time, ms. */
      readonly ts: number;
    }
  | {
      /** One item of a list, to be assembled. */
      readonly kind: 'part';
      readonly user: string;
      readonly value: string;
      readonly ts: number;
    }
  | {
      readonly kind: 'ignored';
      readonly isAnonymous: boolean;
    }
  | {
      readonly kind: 'fault';
      readonly reason: string;
      readonly detail: string;
    };

/** Ids that a mapping may take from the user, and those of parts of lists. */
const USERS = ['user', 'id', 'exposure', 'request'] as const;
const USERS_OF_PART = ['list', 'surface', 'page'] as const;
const SLASH = 47;
const NO_BYTES = new Uint8Array(0);

/**
 * Read records of one topic as events and convert them to canonical form, to be written again under
 * the key of their user. Invalid events are rejected by the same rules as everywhere.
 *
 * An event without an id has its place in the log for one: `topic/partition/offset`. So what is
 * read again is written with the same id, and counts once.
 *
 * @example
 * const records = new CanonicalRecords({ events: 'interactions', maxEventBytes: 1e6, maxFutureMs: 0 });
 * const value = new TextEncoder().encode('{"ts":1,"user":"u","item":"a"}');
 * const from = { topic: 'clicks', partition: 2, offset: '7', key: null, headers: {} };
 * records.read(value, from, 60_000);
 * // { kind: 'event', role: 'interactions', user: 'u', ts: 1, value: '{"type":"interaction","id":"clicks/2/7",…' }
 */
export class CanonicalRecords {
  readonly #reading: RecordReading;
  readonly #draft = new EventDraft();
  readonly #parser: EventParser;
  readonly #mapping: CompiledMapping | undefined;
  readonly #framed: FramedValues | undefined;
  #latestTs = Number.POSITIVE_INFINITY;

  /** @throws UnskewError USAGE if the mapping is wrong */
  constructor(reading: RecordReading) {
    const { mapping } = reading;
    this.#reading = reading;
    this.#mapping = mapping && compileMapping(mapping, 'mapping', true);
    this.#parser = new EventParser(this.#draft, this.#mapping);
    const { format = 'json', schemas } = reading;
    if (format === 'json') return;
    if (schemas === undefined) throw new RangeError(`${format} needs schemas`);
    this.#framed = new FramedValues(schemas, wantedIn(this.#mapping));
  }

  /**
   * @param header what names the schema beside the value, where something does
   * @param reference the record's own time, or the wall clock, ms: what `maxFuture` counts from
   */
  read(
    value: Uint8Array | null,
    from: RecordContext,
    reference: number,
    header?: Uint8Array,
  ): CanonicalRecord {
    const bytes = value ?? NO_BYTES;
    const { maxEventBytes, maxFutureMs, events } = this.#reading;
    if (bytes.length > maxEventBytes) {
      const detail = `the event has more than ${maxEventBytes} bytes`;
      return {
        kind: 'fault',
        reason: 'oversized',
        detail,
      };
    }
    const latestTs = reference + maxFutureMs;
    const code = this.#framed
      ? this.#readFramed(this.#framed, bytes, latestTs, from, header)
      : this.#parser.parse(bytes, 0, bytes.length, events, latestTs, from);
    this.#latestTs = latestTs;
    return this.#found(code);
  }

  /** What the next line of a basket is; undefined where there is no more. */
  next(): CanonicalRecord | undefined {
    const code = this.#parser.next(this.#latestTs);
    return code === undefined ? undefined : this.#found(code);
  }

  #found(code: number): CanonicalRecord {
    if (code === IGNORED) {
      return {
        kind: 'ignored',
        isAnonymous: this.#parser.isAnonymous,
      };
    }
    if (code !== ACCEPTED) {
      return {
        kind: 'fault',
        reason: FAULT_REASONS[code],
        detail: this.#parser.detail,
      };
    }
    const { isExposure, ts } = this.#draft;
    const role = isExposure ? 'exposures' : 'interactions';
    const type = isExposure ? 'exposure' : 'interaction';
    const { fields } = this.#parser;
    const found: Record<string, unknown> = {
      ...fields,
      type,
      ts,
    };
    const { part } = this.#parser;
    this.#rename(found, part);
    const event = found as unknown as ExposureEvent | InteractionEvent;
    if (part !== undefined && event.type === 'exposure') return partRecord(event, ts, part);
    return {
      kind: 'event',
      role,
      user: event.user,
      value: encodeEvent(event),
      ts,
    };
  }

  /** Gives the user's pseudonym, also to ids that are the user's, or begin with it as joined ones do. */
  #rename(fields: Record<string, unknown>, part: Record<string, unknown> | undefined): void {
    const { pseudonyms } = this.#reading;
    if (pseudonyms === undefined) return;
    const id = fields['user'] as string;
    const user = pseudonyms.of(id, fields['ts'] as number);
    for (const name of USERS) {
      rename(fields, name, id, user);
    }
    if (part === undefined) return;
    for (const name of USERS_OF_PART) {
      rename(part, name, id, user);
    }
  }

  #readFramed(
    framed: FramedValues,
    bytes: Uint8Array,
    latestTs: number,
    from: RecordContext,
    header: Uint8Array | undefined,
  ): number {
    const { events, format = 'json' } = this.#reading;
    const opened = framed.open(bytes, 0, bytes.length, header, format);
    if (opened.is === 'fault') return this.#parser.fail(opened.reason, opened.detail);
    if (opened.is === 'json') {
      return this.#parser.parse(bytes, opened.from, bytes.length, events, latestTs, from);
    }
    const { schema, frame } = opened;
    let found: unknown;
    try {
      found = framed.value(schema, frame, bytes, bytes.length);
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      return this.#parser.fail(error.reason, `${frame.key}: ${error.message}`);
    }
    if (typeof found !== 'object' || found === null || Array.isArray(found)) {
      return this.#parser.fail('not_an_object', `${frame.key}: the schema is of no record`);
    }
    const fields = found as Record<string, unknown>;
    if (this.#mapping === undefined) {
      asCanonical(fields, schema.type === 'protobuf');
    }
    return this.#parser.judge(fields, events, latestTs, from);
  }
}

function rename(of: Record<string, unknown>, name: string, id: string, user: string): void {
  const found = of[name];
  if (found === id) {
    of[name] = user;
  } else if (typeof found === 'string' && found.charCodeAt(id.length) === SLASH) {
    if (found.startsWith(id)) {
      of[name] = user + found.slice(id.length);
    }
  }
}

/** Whatever one record brings about, those behind it are read: it is refused, and says by what. */
function readSafely(
  reader: CanonicalRecords,
  ...given: Parameters<CanonicalRecords['read']>
): readonly CanonicalRecord[] {
  const all: CanonicalRecord[] = [];
  try {
    all.push(reader.read(...given));
    for (let next = reader.next(); next !== undefined; next = reader.next()) {
      all.push(next);
    }
  } catch (error) {
    const detail = `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    all.push({
      kind: 'fault',
      reason: 'schema_mismatch',
      detail,
    });
  }
  return all;
}

function partRecord(
  fields: ExposureEvent,
  ts: number,
  found: NonNullable<EventParser['part']>,
): CanonicalRecord {
  const stated = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const part = partOf(
    {
      ...(Object.fromEntries(stated) as unknown as ExposureEvent),
      ts,
    },
    found,
  );
  if (isFault(part)) {
    return {
      kind: 'fault',
      ...part,
    };
  }
  return {
    kind: 'part',
    user: part.event.user,
    value: writePart(part),
    ts,
  };
}

/** A topic of any shape, and how its records are read. */
export interface ShuffleSource extends RecordReading {
  readonly topic: string;
}

/** A record of a source. */
export interface SourceRecord {
  readonly from: RecordContext;
  readonly value: Uint8Array | null;
  /** The record's own time, ms; 0 or less where it has none. */
  readonly ts: number;
  /** The header that names the schema of its value, where it has one. */
  readonly frame?: Uint8Array | undefined;
}

/** Where records go: whole events by their kind, and parts of lists that are still to be assembled. */
export const WAYS = ['exposures', 'interactions', 'parts'] as const;
export type Way = (typeof WAYS)[number];

/** A record that is to be written, and which one it was read from. */
export interface ShuffledRecord extends OutgoingRecord {
  readonly value: string;
  readonly from: RecordContext;
}

/** What came of some records of one source. */
export interface Shuffled {
  readonly records: Readonly<Record<Way, readonly ShuffledRecord[]>>;
  readonly letters: readonly DeadLetter[];
  /** How many records there were by what became of them: `written`, `ignored`, `anonymous`, `tombstone`, or a fault. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Newest event time of the source by now, ms; −Infinity without any. */
  readonly newest: number;
}

/**
 * Brings records of topics of any shape into a form that can be divided by user: canonical events,
 * keyed by user, that say which partition they came from and how far that was.
 *
 * @example
 * const reading = { events: 'interactions', maxEventBytes: 1e6, maxFutureMs: 0 };
 * const shuffle = new Shuffle([{ topic: 'clicks', ...reading }]);
 * const from = { topic: 'clicks', partition: 0, offset: '7', key: null, headers: {} };
 * const value = new TextEncoder().encode('{"ts":1,"user":"u","item":"a"}');
 * const { records, newest } = shuffle.read('clicks', 0, [{ from, value, ts: 0 }], () => 60_000);
 * records.interactions[0].key; // 'u'
 * newest; // 1
 */
export class Shuffle {
  readonly #readers: ReadonlyMap<string, CanonicalRecords>;
  /** By source: newest event that was read. */
  readonly #read = new Map<string, number>();
  /** By source: newest event time that is written. */
  readonly #written = new Map<string, number>();
  /** By source: when there was nothing more, wall clock, ms. */
  readonly #emptyAt = new Map<string, number>();

  /** @throws UnskewError USAGE if a mapping is wrong */
  constructor(sources: readonly ShuffleSource[]) {
    this.#readers = new Map(
      sources.map(({ topic, ...reading }) => [topic, new CanonicalRecords(reading)]),
    );
  }

  /** @param now the wall clock, ms: an event may not be further ahead of it than `maxFuture` */
  read(
    topic: string,
    partition: number,
    records: readonly SourceRecord[],
    now: () => number,
  ): Shuffled {
    const reader = this.#readers.get(topic);
    if (reader === undefined) throw new RangeError(`${topic} is not a source`);
    const source = sourceOf(topic, partition);
    const written: Record<Way, ShuffledRecord[]> = {
      exposures: [],
      interactions: [],
      parts: [],
    };
    const letters: DeadLetter[] = [];
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    let newest = this.#read.get(source) ?? Number.NEGATIVE_INFINITY;
    const clock = now();
    for (const { from, value, ts, frame } of records) {
      if (value === null) {
        count('tombstone');
        continue;
      }
      const reference = ts > 0 ? Math.min(ts, clock) : clock;
      const all = readSafely(reader, value, from, reference, frame);
      for (const found of all) {
        if (found.kind === 'ignored' || found.kind === 'fault') continue;
        newest = Math.max(newest, Math.min(found.ts, reference));
        const headers = sourceHeaders({ source, newest });
        const way = found.kind === 'part' ? 'parts' : found.role;
        written[way].push({
          key: found.user,
          value: found.value,
          headers,
          from,
        });
      }
      // Of a basket the first line that is refused is reported, and the others are written.
      const fault = all.find((found) => found.kind === 'fault');
      if (fault !== undefined) {
        const { reason, detail } = fault;
        const place = {
          topic,
          partition,
          offset: Number(from.offset),
        };
        letters.push({
          reason,
          detail,
          ...place,
          value: value ?? new Uint8Array(0),
        });
        count(reason);
      } else if (all[0]?.kind !== 'ignored') {
        count('written');
      } else {
        count(all[0].isAnonymous ? 'anonymous' : 'ignored');
      }
    }
    this.#read.set(source, newest);
    return {
      records: written,
      letters,
      outcomes,
      newest,
    };
  }

  /** This process goes on with a partition that was read up to this event time, ms. */
  resume(topic: string, partition: number, newest: number): void {
    this.#read.set(sourceOf(topic, partition), newest);
  }

  /** What was read of a source up to this event time is written. */
  settle(topic: string, partition: number, newest: number): void {
    const source = sourceOf(topic, partition);
    const known = this.#written.get(source) ?? Number.NEGATIVE_INFINITY;
    this.#written.set(source, Math.max(newest, known));
    this.#emptyAt.delete(source);
  }

  /** All that a source holds is written, as of this moment of the wall clock, ms. */
  emptied(topic: string, partition: number, at: number): void {
    this.#emptyAt.set(sourceOf(topic, partition), at);
  }

  /**
   * How far the sources are that this process reads.
   *
   * @param partitions how many each topic has, of all sources
   */
  progress(partitions: Readonly<Record<string, number>>): SourceProgress {
    const newest = [...this.#written].filter(([, ts]) => Number.isFinite(ts));
    return {
      partitions,
      newest: Object.fromEntries(newest),
      emptyAt: Object.fromEntries(this.#emptyAt),
    };
  }

  /** Newest event time that was read of a partition, ms; −Infinity without any. */
  newest(topic: string, partition: number): number {
    return this.#read.get(sourceOf(topic, partition)) ?? Number.NEGATIVE_INFINITY;
  }
}

function sourceOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}

/** What is seen of the intake from outside. */
export interface ShuffleWatch {
  /** Records of a topic by what became of them. */
  records(topic: string, outcomes: ReadonlyMap<string, number>): void;
  /** Records of a partition that are not read, and its newest event time, ms. */
  stands(topic: string, partition: number, lag: number, newest: number): void;
}
