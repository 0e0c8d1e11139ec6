import { ActionWorths } from './action-worths.js';
import type { EventChecker, EventKind } from './check.js';
import { type EventBatch, EventDraft, type EventTables } from './draft.js';
import { ACCEPTED, ASKS_FOR_VALUES, type FaultReason, faultCode } from './fault.js';
import type { Formats } from './formats/frame.js';
import { FramedEvents } from './formats/framed.js';
import type { SchemaTable } from './formats/schema.js';
import type { EventFields, RecordContext } from './found.js';
import { type CompiledMapping, compileMapping, type Mapping } from './mapping/mapping.js';
import { EventParser, type EventRole } from './parse.js';
import { type PseudonymKey, Pseudonyms } from './pseudonyms.js';
import type { RatingScale } from './rating-scale.js';
import type { ReadingTally } from './readings.js';
import { EventScanner } from './scan.js';

export interface DecoderOptions {
  /** Largest event in bytes; 1 MiB by default. */
  readonly maxEventBytes?: number;
  /** How far ahead of the reference time an event may be, ms. */
  readonly maxFutureMs: number;
  /** Mapping of events with another schema. */
  readonly mapping?: Mapping;
  /** Separate mappings of event files, by name. */
  readonly files?: Readonly<Record<string, Mapping>>;
  /**
   * Rewards of actions. With them, interactions store the code of their action in `ActionWorths`,
   * unless the tables of ids include one of actions.
   */
  readonly actions?: Readonly<Record<string, number>>;
  /** Action that is the reward of the A/B test, which gets its own code. */
  readonly earning?: string;
  /** Keys of users' pseudonyms; without them, users are stored by their ids. */
  readonly pseudonyms?: readonly PseudonymKey[] | undefined;
  /** Rating scale; scores are stored only with it. */
  readonly ratings?: RatingScale;
  /** Segment dimensions to read; none by default. */
  readonly segments?: readonly string[];
  /**
   * Receives single items of lists, if the source has a row or record for each item of a list.
   * Returns a fault if the item's position in its list is invalid.
   */
  readonly takePart?: (
    event: EventFields,
    ts: number,
    part: NonNullable<EventParser['part']>,
  ) => PartFault | undefined;
  /**
   * Settings for events with the frame of a schema registry: format of each topic, and known
   * schemas.
   */
  readonly framed?: {
    readonly formats: Formats;
    readonly schemas: SchemaTable;
  };
}

/** Fault in the fields that assign an item to a list: `list`, `surface`, `page` and `place`. */
export interface PartFault {
  readonly reason: FaultReason;
  readonly detail: string;
}

/**
 * Replaces the detail of a fault if users have pseudonyms, since the detail may quote a user's id.
 */
export const WITHHELD = 'not shown, because users have pseudonyms';

const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;
const OVERSIZED = faultCode('oversized');

/**
 * Decode the bytes of events into rows of columns.
 *
 * The scanner handles valid events in plain form; the parser handles all others and is
 * authoritative.
 *
 * @throws UnskewError USAGE from the constructor if the mapping is wrong
 * @example
 * const decoder = new Decoder({ maxFutureMs: 60_000 });
 * const [bytes, tables] = [new TextEncoder().encode('no event'), {}];
 * const code = decoder.decode(bytes, 0, 8, 'interactions', 0, tables, {});
 * FAULT_REASONS[code]; // 'not_json': and `decoder.detail` says where
 */
export class Decoder {
  /** After a fault: a one-line description. */
  detail = '';
  private readonly maxEventBytes: number;
  private readonly maxFutureMs: number;
  private readonly draft = new EventDraft();
  private readonly parser: EventParser;
  private readonly scanner: EventScanner;
  /** Mapping of events with another schema, compiled. */
  readonly mapping: CompiledMapping | undefined;
  private readonly framed: FramedEvents | undefined;
  private readonly takePart: DecoderOptions['takePart'];

  constructor(options: DecoderOptions) {
    const { mapping, actions, earning, framed, pseudonyms } = options;
    this.maxEventBytes = options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES;
    this.maxFutureMs = options.maxFutureMs;
    this.draft.pseudonyms = pseudonyms && new Pseudonyms(pseudonyms);
    this.draft.worths = actions && new ActionWorths(actions, earning);
    this.draft.scale = options.ratings;
    this.draft.wantSegments(options.segments ?? []);
    this.takePart = options.takePart;
    this.mapping = mapping && compileMapping(mapping, 'mapping', this.takePart !== undefined);
    const compiled = this.mapping;
    this.parser = new EventParser(this.draft, compiled);
    this.scanner = new EventScanner(this.draft);
    this.framed =
      framed && new FramedEvents(framed.formats, framed.schemas, this.parser, this.draft, compiled);
  }

  /**
   * Decode the event in bytes start ≤ i < end and append it to the columns of its kind. A basket
   * (one event about several items, such as an order) gives a row for each of its items.
   *
   * @param role  kind of the source's events; an event of another type is a fault
   * @param referenceTs  the log's time of the event (ms), the reference of `maxFutureMs`;
   *   Infinity if there is none
   * @param header  header that identifies the event's schema, if any
   * @returns 0 if a row was appended. Otherwise nothing was appended, and the result says why:
   *   the code of a fault (`FAULT_REASONS[code]`); `IGNORED` (−1, only with a mapping);
   *   `OVER_ITEM_LIMIT` (−2) if the table of items is full; `FORGOTTEN_USER` (−3) if the table of
   *   users rejects the user. After a fault or `IGNORED`, nothing was interned either.
   */
  decode(
    bytes: Uint8Array,
    start: number,
    end: number,
    role: EventRole,
    referenceTs: number,
    tables: EventTables,
    into: EventBatch,
    header?: Uint8Array,
    from?: RecordContext,
  ): number {
    if (end - start > this.maxEventBytes) {
      this.detail = `the event has more than ${this.maxEventBytes} bytes`;
      return OVERSIZED;
    }
    const latestTs = referenceTs + this.maxFutureMs;
    const code = this.framed?.reads(role)
      ? this.readFramed(this.framed, bytes, start, end, role, latestTs, header)
      : this.readJson(bytes, start, end, role, latestTs, from);
    return this.appended(code, latestTs, tables, into);
  }

  /** Like `decode`, for an event from a table, with fields converted to JSON values. */
  decodeFields(
    event: EventFields,
    role: EventRole,
    referenceTs: number,
    tables: EventTables,
    into: EventBatch,
    from?: RecordContext,
  ): number {
    const latestTs = referenceTs + this.maxFutureMs;
    return this.appended(this.parser.judge(event, role, latestTs, from), latestTs, tables, into);
  }

  /** Append a list assembled from rows. @returns as `decode` */
  decodeList(
    event: EventFields,
    referenceTs: number,
    tables: EventTables,
    into: EventBatch,
  ): number {
    const latestTs = referenceTs + this.maxFutureMs;
    return this.appended(this.parser.canonicalList(event, latestTs), latestTs, tables, into);
  }

  /** Fields of the last event, in canonical form. */
  get fields(): EventFields {
    return this.parser.fields;
  }

  /** Number of events with each interpretation of an ambiguous value. */
  get readings(): ReadingTally {
    return this.draft.readings;
  }

  /** See `EventChecker.areValued`. */
  set areValued(areValued: EventChecker['areValued']) {
    this.parser.areValued = areValued;
  }

  private appended(code: number, latestTs: number, tables: EventTables, into: EventBatch): number {
    let answer = ACCEPTED;
    for (
      let next: number | undefined = code;
      next !== undefined;
      next = this.parser.next(latestTs)
    ) {
      const own = next === ACCEPTED ? this.appendedOne(tables, into) : next;
      if (own === ASKS_FOR_VALUES) return own;
      if (answer !== ACCEPTED || own === ACCEPTED) continue;
      // The first invalid line of a basket is reported; its valid lines count.
      answer = own;
      this.detail = this.draft.pseudonyms === undefined ? this.parser.detail : WITHHELD;
    }
    return answer;
  }

  /** Append the draft as a row, or pass it to `takePart` if it is one item of a list. */
  private appendedOne(tables: EventTables, into: EventBatch): number {
    const { part, fields } = this.parser;
    if (part === undefined || this.takePart === undefined) return this.draft.append(tables, into);
    const fault = this.takePart(fields, this.draft.ts, part);
    if (fault === undefined) {
      this.draft.readings.keep();
      return ACCEPTED;
    }
    return this.parser.fail(fault.reason, fault.detail);
  }

  private readJson(
    bytes: Uint8Array,
    start: number,
    end: number,
    role: EventRole,
    latestTs: number,
    from?: RecordContext,
  ): number {
    if (this.mapping === undefined && this.scanner.scan(bytes, start, end, role, latestTs)) {
      return ACCEPTED;
    }
    return this.parser.parse(bytes, start, end, role, latestTs, from);
  }

  private readFramed(
    framed: FramedEvents,
    bytes: Uint8Array,
    start: number,
    end: number,
    role: EventRole,
    latestTs: number,
    header: Uint8Array | undefined,
  ): number {
    const found = framed.read(bytes, start, end, role as keyof Formats, latestTs, header);
    return typeof found === 'number'
      ? found
      : this.readJson(bytes, found.jsonFrom, end, role, latestTs);
  }

  /** Kind of the last accepted event. */
  get kind(): EventKind {
    return this.draft.isExposure ? 'exposure' : 'interaction';
  }

  /** Id of the last accepted event, as text. */
  get eventId(): string {
    return this.draft.idText();
  }
}
