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

/** How to read the records of a topic. */
interface RecordReading {
  /** Kind of the events in records that do not state it. */
  readonly events: EventRole;
  readonly mapping?: Mapping | undefined;
  readonly maxEventBytes: number;
  /** How far an event may be ahead of the time of its record, ms. */
  readonly maxFutureMs: number;
  /** Pseudonyms of users; undefined means user ids. */
  readonly pseudonyms?: Pseudonyms | undefined;
  /** Format of the records; JSON by default. */
  readonly format?: Format | undefined;
  /** Schemas of framed records, that is, records with a schema id; loaded before reading. */
  readonly schemas?: SchemaTable | undefined;
}

/** Result of reading a record. */
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
      /** An impression of a single item, from which lists are assembled. */
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

/** Fields of events that a mapping may derive from the user's id. */
const USERS = ['user', 'id', 'exposure', 'request'] as const;
/** Fields of parts of lists that a mapping may derive from the user's id. */
const USERS_OF_PART = ['list', 'surface', 'page'] as const;
const SLASH = 47;
const NO_BYTES = new Uint8Array(0);

/**
 * Reads records of one topic as events and converts them to canonical form, to be written with the
 * user as key. Invalid events are rejected by the same rules as everywhere else.
 *
 * An event without an id gets `topic/partition/offset` as its id, so a record that is read twice
 * counts once.
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
   * Read the first event of a record; `next` returns any others.
   *
   * @param header header that identifies the value's schema, if any
   * @param reference the record's own time, or the wall clock, ms, for checking `maxFuture`
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

  /**
   * Result for the next event of the last record, such as the next line of a basket; undefined
   * after the last one.
   */
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

  /**
   * Replace the user's id by the pseudonym, also in other ids that equal it or begin with it and a
   * slash.
   */
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
      return this.#parser.fail(
        'not_an_object',
        `${frame.key}: the schema does not describe a record`,
      );
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

/**
 * Read all events of a record. An unexpected error rejects only this record; its message becomes
 * the detail of the fault.
 */
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

/** A topic in any format, and how to read its records. */
export interface ShuffleSource extends RecordReading {
  readonly topic: string;
}

/** A record read from a source topic. */
export interface SourceRecord {
  readonly from: RecordContext;
  readonly value: Uint8Array | null;
  /** Time of the record in its log, ms; 0 or less if it has none. */
  readonly ts: number;
  /** Header of the record that identifies the schema of its value, if any. */
  readonly frame?: Uint8Array | undefined;
}

/**
 * Internal topics that events are written to: whole events by kind, and parts of lists to be
 * assembled.
 */
export const WAYS = ['exposures', 'interactions', 'parts'] as const;
export type Way = (typeof WAYS)[number];

/** A record to write to an internal topic, with the record it was read from. */
export interface ShuffledRecord extends OutgoingRecord {
  readonly value: string;
  readonly from: RecordContext;
}

/** Result of converting some records of one source. */
export interface Shuffled {
  readonly records: Readonly<Record<Way, readonly ShuffledRecord[]>>;
  readonly letters: readonly DeadLetter[];
  /** Number of records by outcome: `written`, `ignored`, `anonymous`, `tombstone`, or a fault. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Newest event time of the source so far, ms; −Infinity if there is none. */
  readonly newest: number;
}

/**
 * Converts records of topics in any format to canonical events that can be partitioned by user: the
 * user is the key, and headers state the original topic-partition and how far it was read.
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
  /** Newest event time read, by source, ms. */
  readonly #read = new Map<string, number>();
  /** Newest event time written, by source, ms. */
  readonly #written = new Map<string, number>();
  /** When each source was at its end, wall clock, ms. */
  readonly #emptyAt = new Map<string, number>();

  /** @throws UnskewError USAGE if a mapping is wrong */
  constructor(sources: readonly ShuffleSource[]) {
    this.#readers = new Map(
      sources.map(({ topic, ...reading }) => [topic, new CanonicalRecords(reading)]),
    );
  }

  /**
   * Convert records of one source partition.
   *
   * @param now wall clock, ms, for checking `maxFuture`
   */
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
      // If a basket has invalid lines, the first is reported and the valid ones are written.
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

  /** Continue a source partition that was read up to this event time, ms. */
  resume(topic: string, partition: number, newest: number): void {
    this.#read.set(sourceOf(topic, partition), newest);
  }

  /** Note that the events of a source are written up to this event time, ms. */
  settle(topic: string, partition: number, newest: number): void {
    const source = sourceOf(topic, partition);
    const known = this.#written.get(source) ?? Number.NEGATIVE_INFINITY;
    this.#written.set(source, Math.max(newest, known));
    this.#emptyAt.delete(source);
  }

  /** Note that a source was read and written to its end at this wall-clock time, ms. */
  emptied(topic: string, partition: number, at: number): void {
    this.#emptyAt.set(sourceOf(topic, partition), at);
  }

  /**
   * Progress of the sources that this process reads.
   *
   * @param partitions number of partitions of each topic
   */
  progress(partitions: Readonly<Record<string, number>>): SourceProgress {
    const newest = [...this.#written].filter(([, ts]) => Number.isFinite(ts));
    return {
      partitions,
      newest: Object.fromEntries(newest),
      emptyAt: Object.fromEntries(this.#emptyAt),
    };
  }

  /** Newest event time read of a partition, ms; −Infinity if there is none. */
  newest(topic: string, partition: number): number {
    return this.#read.get(sourceOf(topic, partition)) ?? Number.NEGATIVE_INFINITY;
  }
}

function sourceOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}

/** Receives statistics of the intake. */
export interface ShuffleWatch {
  /** Called with the numbers of records of a topic, by outcome. */
  records(topic: string, outcomes: ReadonlyMap<string, number>): void;
  /**
   * Called with the number of unread records of a source partition, and its newest event time, ms.
   */
  stands(topic: string, partition: number, lag: number, newest: number): void;
}
