import { EventDraft } from '../../events/draft.js';
import { type ExposureEvent, encodeEvent, type InteractionEvent } from '../../events/encode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../../events/fault.js';
import { PayloadFault } from '../../events/formats/cursor.js';
import type { Format } from '../../events/formats/frame.js';
import { asCanonical, wantedIn } from '../../events/formats/framed.js';
import { FramedValues } from '../../events/formats/framed-values.js';
import type { SchemaTable } from '../../events/formats/schema-table.js';
import {
  type CompiledMapping,
  compileMapping,
  type Mapping,
} from '../../events/mapping/mapping.js';
import type { RecordContext } from '../../events/mapping/record-context.js';
import { EventParser, type EventRole } from '../../events/parse.js';
import type { TopicRole } from '../ports.js';
import { isFault, partOf, writePart } from './part.js';

/** How the records of a topic are read. */
export interface RecordReading {
  /** What its events are, if they do not say. */
  readonly events: EventRole;
  readonly mapping?: Mapping | undefined;
  readonly maxEventBytes: number;
  /** How far ahead of its record's time an event may lie, ms. */
  readonly maxFutureMs: number;
  /** How its records are written; JSON if nothing is said. */
  readonly format?: Format | undefined;
  /** The schemas that framed records are read by, which are found before these are read. */
  readonly schemas?: SchemaTable | undefined;
}

/** What came of a record. */
export type CanonicalRecord =
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
  | { readonly kind: 'ignored' }
  | { readonly kind: 'fault'; readonly reason: string; readonly detail: string };

const IGNORED_RECORD = { kind: 'ignored' } as const;
const NO_BYTES = new Uint8Array(0);

/**
 * Reads records of one topic as events and gives them in canonical form, to be written again under
 * the key of their user. Whatever is no event is refused by the rules that hold for any event.
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
      return { kind: 'fault', reason: 'oversized', detail };
    }
    const latestTs = reference + maxFutureMs;
    const code = this.#framed
      ? this.#readFramed(this.#framed, bytes, latestTs, from, header)
      : this.#parser.parse(bytes, 0, bytes.length, events, latestTs, from);
    if (code === IGNORED) return IGNORED_RECORD;
    if (code !== ACCEPTED) {
      return { kind: 'fault', reason: FAULT_REASONS[code], detail: this.#parser.detail };
    }
    const { isExposure, ts } = this.#draft;
    const role = isExposure ? 'exposures' : 'interactions';
    const type = isExposure ? 'exposure' : 'interaction';
    const event = { ...this.#parser.fields, type, ts } as unknown as
      | ExposureEvent
      | InteractionEvent;
    const { part } = this.#parser;
    if (part !== undefined && event.type === 'exposure') return partRecord(event, ts, part);
    return { kind: 'event', role, user: event.user, value: encodeEvent(event), ts };
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
    if (this.#mapping === undefined) asCanonical(fields, schema.type === 'protobuf');
    return this.#parser.judge(fields, events, latestTs, from);
  }
}

function partRecord(
  fields: ExposureEvent,
  ts: number,
  found: NonNullable<EventParser['part']>,
): CanonicalRecord {
  const stated = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const part = partOf({ ...(Object.fromEntries(stated) as unknown as ExposureEvent), ts }, found);
  if (isFault(part)) return { kind: 'fault', ...part };
  return { kind: 'part', user: part.event.user, value: writePart(part), ts };
}
