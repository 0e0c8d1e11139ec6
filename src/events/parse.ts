import { EventChecker, type EventKind } from './check.js';
import type { EventDraft } from './draft.js';
import { type FaultReason, IGNORED } from './fault.js';
import { describeFound, type EventFields, isAbsent, type RecordContext, withId } from './found.js';
import { parseJson } from './json-parse.js';
import {
  fieldsOfImpression,
  nameInImpression,
  type PartField,
  partFieldsOf,
} from './mapping/impression.js';
import type { CompiledMapping, MappedKind } from './mapping/mapping.js';

/**
 * Kind of the events of a source. Events need not state it, except in a mixed source, where each
 * event states its type.
 */
export type EventRole = 'exposures' | 'interactions' | 'mixed';

const LONGEST_DETAIL = 300;

/**
 * Reads the bytes of an event into a draft: checks UTF-8, parses JSON, and applies all validation
 * rules. This reader is authoritative; `EventScanner` gives the same result or declines an event.
 */
export class EventParser {
  /** Canonical fields of the last validated event. */
  fields: EventFields = {};
  /** Fields that assign an impression to a list and a position; undefined for other events. */
  part: Readonly<Partial<Record<PartField, unknown>>> | undefined;
  /** Whether the event was ignored because it has no user. */
  isAnonymous = false;
  /** Remaining lines of a basket, one event about several items. */
  private lines: Iterator<EventFields> | undefined;
  /** Whether `NaN` and `Infinity` become null. */
  private mayHaveNaN = false;
  private readonly checker: EventChecker;
  private readonly mapping: CompiledMapping | undefined;
  private readonly utf8 = new TextDecoder('utf-8', {
    fatal: true,
    ignoreBOM: true,
  });

  constructor(draft: EventDraft, mapping?: CompiledMapping) {
    this.checker = new EventChecker(draft);
    this.mapping = mapping;
  }

  /** See `EventChecker.areValued`. */
  set areValued(areValued: EventChecker['areValued']) {
    this.checker.areValued = areValued;
    // A null in `value` only has a meaning in files.
    this.mayHaveNaN = areValued !== undefined;
  }

  /** After a fault: its description. */
  get detail(): string {
    return this.checker.detail.slice(0, LONGEST_DETAIL);
  }

  /**
   * Parse and validate an event of JSON in bytes start ≤ i < end.
   *
   * @param from the record of the event, if any
   * @returns 0 with the draft filled, the code of a fault, or `IGNORED`
   */
  parse(
    bytes: Uint8Array,
    start: number,
    end: number,
    role: EventRole,
    latestTs: number,
    from?: RecordContext,
  ): number {
    let text: string;
    try {
      text = this.utf8.decode(bytes.subarray(start, end));
    } catch {
      return this.checker.fail('invalid_utf8', 'the bytes are not well-formed UTF-8');
    }
    let value: unknown;
    try {
      value = this.mayHaveNaN ? parseJson(text) : JSON.parse(text);
    } catch (error) {
      return this.checker.fail('not_json', jsonFault(text, error));
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.checker.fail(
        'not_an_object',
        `expected an object, found ${describeFound(value)}`,
      );
    }
    return this.judge(value as EventFields, role, latestTs, from);
  }

  /** Like `parse`, for an event that is already parsed. */
  judge(
    event: EventFields,
    role: EventRole,
    latestTs: number,
    from: RecordContext | undefined = undefined,
  ): number {
    this.part = undefined;
    this.isAnonymous = false;
    this.lines = undefined;
    if (this.mapping === undefined) return this.canonical(event, role, latestTs, from);
    return this.mapped(this.mapping, event, role, latestTs, from);
  }

  /** Continue with the next line of a basket; undefined at its end. */
  next(latestTs: number): number | undefined {
    const { mapping } = this;
    const fields: EventFields | undefined = this.lines?.next().value;
    if (fields === undefined || mapping === undefined) return undefined;
    this.part = undefined;
    this.fields = fields;
    const kind = 'items' in fields ? 'exposure' : 'interaction';
    return this.checker.check(kind, fields, latestTs, (path) => mapping.nameOf(kind, path));
  }

  /** Validate an event with canonical field names, independent of the mapping. */
  canonicalList(event: EventFields, latestTs: number): number {
    this.part = undefined;
    this.lines = undefined;
    this.fields = event;
    return this.checker.check('exposure', event, latestTs);
  }

  /** Record a fault before validation: in the bytes, or in the schema reference. */
  fail(reason: FaultReason, detail: string): number {
    return this.checker.fail(reason, detail);
  }

  private canonical(
    event: EventFields,
    role: EventRole,
    latestTs: number,
    from: RecordContext | undefined,
  ): number {
    const type = isAbsent(event, 'type') ? kindOfRole(role) : event['type'];
    const expected = expectedType(role);
    if (type === undefined) {
      return this.checker.fail('missing_field', `type: missing, expected ${expected}`);
    }
    if (typeof type !== 'string') {
      const found = describeFound(type);
      return this.checker.fail('wrong_type', `type: expected ${expected}, found ${found}`);
    }
    if (!isKind(type) || contradicts(role, type)) {
      const found = describeFound(type);
      return this.checker.fail('unknown_type', `type: expected ${expected}, found ${found}`);
    }
    this.fields = from === undefined ? event : withId(event, from);
    return this.checker.check(type, this.fields, latestTs);
  }

  private mapped(
    mapping: CompiledMapping,
    event: EventFields,
    role: EventRole,
    latestTs: number,
    from: RecordContext | undefined,
  ): number {
    if (mapping.isBoth && role === 'mixed') return this.both(mapping, event, latestTs, from);
    const kind = mapping.kindOf(event, kindOfRole(role), from);
    if (kind === 'ignored') return IGNORED;
    if (kind === undefined || contradicts(role, kind)) {
      const told = mapping.describeKind(event, from);
      return this.checker.fail('unknown_type', `${told} in ${role} events`);
    }
    if (kind === 'impression') return this.impression(mapping, event, latestTs, from);
    const lines = this.linesOf(mapping, kind, event, from);
    // A list without items is ignored if its items come as impressions.
    const isEmptied = kind === 'exposure' && mapping.impression !== undefined;
    if (isEmptied && lines.every((fields) => isAbsent(fields, 'items'))) return IGNORED;
    this.lines = lines.values();
    return this.next(latestTs) ?? IGNORED;
  }

  /**
   * Read a record that is both a list and an interaction: one event is validated now, the others by
   * `next`.
   */
  private both(
    mapping: CompiledMapping,
    event: EventFields,
    latestTs: number,
    from: RecordContext | undefined,
  ): number {
    const done = this.linesOf(mapping, 'interaction', event, from);
    if (mapping.impression !== undefined) {
      const code = this.impression(mapping, event, latestTs, from);
      this.lines = done.values();
      return code;
    }
    this.lines = [...this.linesOf(mapping, 'exposure', event, from), ...done].values();
    return this.next(latestTs) ?? IGNORED;
  }

  private linesOf(
    mapping: CompiledMapping,
    kind: 'exposure' | 'interaction',
    event: EventFields,
    from: RecordContext | undefined,
  ): readonly EventFields[] {
    const fields = mapping.fieldsOf(kind, event, from);
    if (mapping.passesOver(fields)) {
      this.isAnonymous = true;
      return [];
    }
    return mapping.linesOf(kind, from === undefined ? fields : withId(fields, from));
  }

  /** Validate an impression as a list of one item. */
  private impression(
    mapping: CompiledMapping,
    event: EventFields,
    latestTs: number,
    from: RecordContext | undefined,
  ): number {
    const { impression, unit } = mapping;
    if (impression === undefined) throw new RangeError('the mapping has no impressions');
    const fields = fieldsOfImpression(impression, event, unit, from);
    if (mapping.passesOver(fields)) {
      this.isAnonymous = true;
      return IGNORED;
    }
    this.fields = from === undefined ? fields : withId(fields, from);
    this.part = partFieldsOf(impression, event, unit, from);
    return this.checker.check('exposure', this.fields, latestTs, (path) =>
      nameInImpression(impression, path),
    );
  }
}

/** Kind of an event that states no type; undefined if it must state one. */
function kindOfRole(role: EventRole): EventKind | undefined {
  if (role === 'exposures') return 'exposure';
  return role === 'interactions' ? 'interaction' : undefined;
}

function contradicts(role: EventRole, kind: MappedKind): boolean {
  const expected = kindOfRole(role);
  return expected !== undefined && expected !== (kind === 'impression' ? 'exposure' : kind);
}

function isKind(type: string): type is EventKind {
  return type === 'exposure' || type === 'interaction';
}

function expectedType(role: EventRole): string {
  const kind = kindOfRole(role);
  return kind === undefined ? '"exposure" or "interaction"' : `"${kind}"`;
}

/** Position of invalid JSON; the parser's message quotes the input and is not used. */
function jsonFault(text: string, error: unknown): string {
  if (text.trim() === '') return 'the event is empty';
  if (text.startsWith('\ufeff')) return 'the event starts with a byte order mark';
  const place = error instanceof SyntaxError ? /position (\d+)/.exec(error.message) : null;
  if (place === null) return `it is not JSON; it starts with ${describeFound(text)}`;
  const at = Number(place[1]);
  return `invalid JSON from character ${at + 1} on: ${describeFound(text.slice(at))}`;
}
