import type { EventKind } from '../check.js';
import type { EventDraft } from '../draft.js';
import { ACCEPTED } from '../fault.js';
import { FIELDS } from '../field.js';
import { ID_FIELDS, idText } from '../mapping/field-source.js';
import type { CompiledMapping } from '../mapping/mapping.js';
import type { EventParser, EventRole } from '../parse.js';
import { isSound } from '../sound.js';
import { AvroReaders, avroWalk, type Walk } from './avro-walker.js';
import { Cursor, PayloadFault } from './cursor.js';
import type { Formats, Frame } from './frame.js';
import { FramedValues, type Readable } from './framed-values.js';
import { CANONICAL, type Plan, planOf, Unplanned, type Wanted, wantedOf } from './plan.js';
import { protobufWalk } from './protobuf-walker.js';
import type { SchemaTable } from './schema.js';
import { EventSink } from './sink.js';

/**
 * Result of `FramedEvents.read`: where the JSON of the event starts, or a number described there.
 */
export type Unframed = { readonly jsonFrom: number } | number;

interface Last {
  readonly of: object | undefined;
  readonly walk: Walk | undefined;
}

/**
 * Reads events whose bytes identify their schema: removes the frame, reads the payload with a
 * cached reader, and validates it like a JSON event.
 */
export class FramedEvents {
  readonly #formats: Formats;
  readonly #parser: EventParser;
  readonly #isMapped: boolean;
  readonly #cursor = new Cursor();
  readonly #values: FramedValues;
  readonly #sink: EventSink;
  /** Plans of the fast path, by topic; undefined if the mapping does more than select fields. */
  readonly #plans: Readonly<Record<'exposures' | 'interactions', Plan | undefined>>;
  readonly #walks = {
    exposures: new WeakMap<object, Walk | 'none'>(),
    interactions: new WeakMap<object, Walk | 'none'>(),
  };

  /** Latest schema of each topic and its reader, cached since a topic has few schemas. */
  readonly #last: Record<'exposures' | 'interactions', Last> = {
    exposures: {
      of: undefined,
      walk: undefined,
    },
    interactions: {
      of: undefined,
      walk: undefined,
    },
  };

  constructor(
    formats: Formats,
    schemas: SchemaTable,
    parser: EventParser,
    draft: EventDraft,
    mapping: CompiledMapping | undefined,
  ) {
    const planFor = (kind: EventKind) => {
      const found = mapping === undefined ? CANONICAL : mapping.placesOf(kind);
      return found && planOf(found);
    };
    this.#plans = {
      exposures: planFor('exposure'),
      interactions: planFor('interaction'),
    };
    this.#sink = new EventSink(draft);
    this.#formats = formats;
    this.#parser = parser;
    this.#isMapped = mapping !== undefined;
    this.#values = new FramedValues(schemas, wantedIn(mapping), this.#cursor);
  }

  /** Whether records of this kind may be framed. */
  reads(role: EventRole): boolean {
    return role !== 'mixed' && this.#formats[role] !== 'json';
  }

  /**
   * Read and validate a record.
   *
   * @returns 0 if the event is valid and in the draft; the code of a fault; `IGNORED`; or, for a
   *   record of JSON, the position at which the JSON starts
   */
  read(
    bytes: Uint8Array,
    start: number,
    end: number,
    role: 'exposures' | 'interactions',
    latestTs: number,
    header: Uint8Array | undefined,
  ): Unframed {
    const opened = this.#values.open(bytes, start, end, header, this.#formats[role]);
    if (opened.is === 'fault') return this.#parser.fail(opened.reason, opened.detail);
    if (opened.is === 'json') return { jsonFrom: opened.from };
    const { schema, frame } = opened;
    let event: unknown;
    try {
      if (this.#walked(schema, frame, bytes, end, role, latestTs)) return ACCEPTED;
      event = this.#values.value(schema, frame, bytes, end);
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      return this.#parser.fail(error.reason, `${frame.key}: ${error.message}`);
    }
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      return this.#parser.fail(
        'not_an_object',
        `${frame.key}: the schema does not describe a record`,
      );
    }
    const fields = event as Record<string, unknown>;
    if (!this.#isMapped) {
      asCanonical(fields, schema.type === 'protobuf');
    }
    return this.#parser.judge(fields, role, latestTs);
  }

  /** Read the event on the fast path; @returns false if it needs the general path. */
  #walked(
    schema: Readable,
    frame: Frame,
    bytes: Uint8Array,
    end: number,
    role: 'exposures' | 'interactions',
    latestTs: number,
  ): boolean {
    const plan = this.#plans[role];
    if (plan === undefined) return false;
    const at = this.#cursor;
    let start: number;
    let walk: Walk | undefined;
    if (schema.type === 'avro') {
      start = frame.start;
      walk = this.#walk(role, schema.root, () => avroWalk(schema.root, plan, new AvroReaders()));
    } else {
      at.load(bytes, frame.start, end);
      const message = this.#values.messageOf(schema.messages, frame, bytes, end);
      start = at.at;
      walk = this.#walk(role, message, () => protobufWalk(message, plan));
    }
    if (walk === undefined) return false;
    const sink = this.#sink;
    const last = sink.load(bytes, start, end);
    at.load(sink.text.bytes, last - (end - start), last);
    try {
      walk(at, sink);
    } catch (error) {
      // The general path finds out which fault it is.
      if (error instanceof PayloadFault) return false;
      throw error;
    }
    if (sink.isDeclined || at.at !== last) return false;
    return isSound(sink.draft, sink, role, latestTs) && sink.areItemsUtf8();
  }

  #walk(role: 'exposures' | 'interactions', of: object, make: () => Walk): Walk | undefined {
    const last = this.#last[role];
    if (last.of === of) return last.walk;
    const walk = this.#planned(role, of, make);
    this.#last[role] = { of, walk };
    return walk;
  }

  #planned(role: 'exposures' | 'interactions', of: object, make: () => Walk): Walk | undefined {
    const walks = this.#walks[role];
    const known = walks.get(of);
    if (known !== undefined) return known === 'none' ? undefined : known;
    let walk: Walk | undefined;
    try {
      walk = make();
    } catch (error) {
      // A recursive schema also needs the general path.
      if (!(error instanceof Unplanned || error instanceof RangeError)) throw error;
    }
    walks.set(of, walk ?? 'none');
    return walk;
  }
}

/** Parts of payloads to read: those that the mapping uses, or the canonical fields. */
export function wantedIn(mapping: CompiledMapping | undefined): Wanted {
  return wantedOf(mapping?.places ?? FIELDS.map((name) => [name]));
}

/**
 * Adapt the values of a canonical event, in place: integer ids become text, and Protobuf's defaults
 * of optional fields count as absent.
 */
export function asCanonical(event: Record<string, unknown>, isProtobuf: boolean): void {
  for (const name of ID_FIELDS) {
    event[name] = idText(event[name]);
  }
  const { items } = event;
  if (Array.isArray(items)) {
    event['items'] = items.map(idText);
  }
  if (!isProtobuf) return;
  // Fields without presence are 0, and lists empty, if the writer did not set them.
  for (const name of ['candidates', 'depth']) {
    if (event[name] === 0) {
      event[name] = undefined;
    }
  }
  for (const name of ['scores', 'propensities']) {
    const list = event[name];
    if (Array.isArray(list) && list.length === 0) {
      event[name] = undefined;
    }
  }
}
