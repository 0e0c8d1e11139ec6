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
  /** How far ahead of the reference time an event may lie, ms. */
  readonly maxFutureMs: number;
  /** For events of a foreign schema. */
  readonly mapping?: Mapping;
  /** Of event files those whose names fit have mappings of their own. */
  readonly files?: Readonly<Record<string, Mapping>>;
  /** What actions are worth: interactions then have their class, where no table of actions is given. */
  readonly actions?: Readonly<Record<string, number>>;
  /** The action that earns in an A/B test: it has a code of its own. */
  readonly earning?: string;
  /** Keys of the pseudonyms that users are called by; without them users have their ids. */
  readonly pseudonyms?: readonly PseudonymKey[] | undefined;
  /** Which values are ratings; scores are kept only with it. */
  readonly ratings?: RatingScale;
  /** Dimensions that events are divided by; without them nothing is looked for. */
  readonly segments?: readonly string[];
  /** Of events of files: takes the items of lists that are rows of their own. */
  readonly takePart?: (
    event: EventFields,
    ts: number,
    part: NonNullable<EventParser['part']>,
  ) => PartFault | undefined;
  /** Of events that may be framed: how each topic is written, and the schemas that are known. */
  readonly framed?: {
    readonly formats: Formats;
    readonly schemas: SchemaTable;
  };
}

/** What is wrong with what a row says of its place in a list. */
export interface PartFault {
  readonly reason: FaultReason;
  readonly detail: string;
}

/**
 * Replaces the detail of a fault if users have pseudonyms, since the detail may quote a user's id.
 */
export const WITHHELD = 'withheld, as users have pseudonyms';

const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;
const OVERSIZED = faultCode('oversized');

/**
 * Turns the bytes of one event after another into rows of columns.
 *
 * Sound events in plain form take the scanner; all others take the parser, whose word is final.
 *
 * @throws UnskewError USAGE from the constructor if the mapping is wrong
 * @example
 * const decoder = new Decoder({ maxFutureMs: 60_000 });
 * const [bytes, tables] = [new TextEncoder().encode('no event'), {}];
 * const code = decoder.decode(bytes, 0, 8, 'interactions', 0, tables, {});
 * FAULT_REASONS[code]; // 'not_json': and `decoder.detail` says where
 */
export class Decoder {
  /** After a fault: what was found where and what was expected, for people, in one bounded line. */
  detail = '';
  private readonly maxEventBytes: number;
  private readonly maxFutureMs: number;
  private readonly draft = new EventDraft();
  private readonly parser: EventParser;
  private readonly scanner: EventScanner;
  /** Where the fields of foreign events are. */
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
   * Decodes the event in bytes start ≤ i < end and appends it to the columns of its kind; of a
   * basket each line.
   *
   * @param role  what the source carries; an event of another type is a fault
   * @param referenceTs  the log's own time of the event (ms), which `maxFutureMs` counts from;
   *   Infinity where there is none to judge by
   * @param header  what names the event's schema beside it, where something does
   * @returns 0 if a row was appended; the code of a fault (`FAULT_REASONS[code]`) or `IGNORED`
   *   (−1, only with a mapping), and then nothing was interned or appended; `OVER_ITEM_LIMIT` (−2,
   *   only with a table of items that has a limit) or `FORGOTTEN_USER` (−3, only with one of users
   *   that refuses some), and then nothing was appended
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

  /** As `decode`, of an event that a table holds, which has been read into what JSON would give. */
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

  /** Appends a list that was assembled of rows. @returns as `decode` */
  decodeList(
    event: EventFields,
    referenceTs: number,
    tables: EventTables,
    into: EventBatch,
  ): number {
    const latestTs = referenceTs + this.maxFutureMs;
    return this.appended(this.parser.canonicalList(event, latestTs), latestTs, tables, into);
  }

  /** Fields of the event that was just read, in canonical form. */
  get fields(): EventFields {
    return this.parser.fields;
  }

  /** What events were read as. */
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
      // Of a basket the first line that is refused is reported, and the others count.
      answer = own;
      this.detail = this.draft.pseudonyms === undefined ? this.parser.detail : WITHHELD;
    }
    return answer;
  }

  /** An item of a list that is a row of its own waits for the others. */
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

  /** Kind of the event that was just accepted. */
  get kind(): EventKind {
    return this.draft.isExposure ? 'exposure' : 'interaction';
  }

  /** Id of the event that was just accepted, as text. */
  get eventId(): string {
    return this.draft.idText();
  }
}
