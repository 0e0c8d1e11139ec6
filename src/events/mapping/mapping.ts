import type { EventKind } from '../check.js';
import { FIELDS, type Field } from '../field.js';
import { EACH, type Place } from '../formats/plan.js';
import { describeFound, type EventFields, isAbsent, type RecordContext } from '../found.js';
import {
  alternativesAt,
  type CompiledField,
  compileSource,
  type FieldSource,
  fault,
  firstOf,
  type HeaderSource,
  ID_FIELDS,
  idText,
  isComputed,
  LINE_FIELDS,
  type LineSource,
  type ListSource,
  noList,
  requireKeys,
  requireObject,
  sourceValue,
  type Tokens,
  TS_UNITS,
  type TsUnit,
} from './field-source.js';
import {
  type CompiledImpression,
  compileImpression,
  type ImpressionMapping,
} from './impression.js';

interface ExposureMapping {
  /** Id; in a log the position of the record by default. */
  readonly id?: FieldSource;
  readonly ts: FieldSource;
  readonly user: FieldSource;
  readonly model: FieldSource;
  readonly items: ListSource;
  readonly shown?: FieldSource;
  readonly randomized?: FieldSource;
  readonly sampled?: FieldSource;
  readonly candidates?: FieldSource;
  readonly scores?: ListSource;
  readonly propensities?: ListSource;
  readonly firstRank?: FieldSource;
  readonly request?: FieldSource;
  readonly share?: FieldSource;
  readonly depth?: FieldSource;
  readonly propensityOf?: FieldSource;
  readonly received?: FieldSource;
  /** Sources of segment values, by dimension. */
  readonly segments?: Readonly<Record<string, FieldSource>>;
}

interface InteractionMapping {
  readonly id?: FieldSource;
  readonly ts: FieldSource;
  readonly user: FieldSource;
  /** Item; with `each` or `split` the event is a basket, and each of its items an interaction. */
  readonly item: LineSource;
  readonly action?: FieldSource;
  readonly value?: LineSource;
  readonly exposure?: LineSource;
  readonly randomized?: FieldSource;
  readonly received?: FieldSource;
  /** Sources of segment values, by dimension. */
  readonly segments?: Readonly<Record<string, FieldSource>>;
}

/** Kind of a foreign event. An impression is one shown item, a part of a list to be assembled. */
export type MappedKind = EventKind | 'impression';

/** Mapping of a foreign schema to exposures and interactions. */
export interface Mapping {
  /**
   * How an event states its kind. By default the topic decides, or the kind is the only one mapped.
   * If a topic can have both kinds and this is not set, each event is both a list and an
   * interaction.
   */
  readonly kind?: {
    /**
     * Where the kind is in an event. If several places are given, the first with a value counts.
     */
    readonly path: string | HeaderSource | readonly (string | HeaderSource)[];
    readonly values: Readonly<Record<string, MappedKind | 'ignored'>>;
    /** `ignored` if events with another kind or none are ignored; by default they are faults. */
    readonly others?: 'ignored';
  };
  /** Column names of a table without a header row. */
  readonly columns?: readonly string[];
  /** Unit of a numeric `ts`; `ms` by default. */
  readonly tsUnit?: TsUnit;
  /** `ignored` if events without a user are ignored; by default they are faults. */
  readonly anonymous?: 'ignored';
  readonly exposure?: ExposureMapping;
  readonly interaction?: InteractionMapping;
  /**
   * Mapping of impressions, from which the intake assembles lists. An impression is one shown item.
   */
  readonly impression?: ImpressionMapping;
}

export const EXPOSURE_FIELDS: readonly Field[] = [
  'id',
  'ts',
  'user',
  'model',
  'items',
  'shown',
  'randomized',
  'sampled',
  'candidates',
  'scores',
  'propensities',
  'firstRank',
  'request',
  'share',
  'depth',
  'propensityOf',
  'received',
];
export const INTERACTION_FIELDS: readonly Field[] = [
  'id',
  'ts',
  'user',
  'item',
  'action',
  'value',
  'exposure',
  'randomized',
  'received',
];
export const REQUIRED: Readonly<Record<EventKind, readonly Field[]>> = {
  exposure: ['ts', 'user', 'model', 'items'],
  interaction: ['ts', 'user', 'item'],
};
/** A validated mapping; see `compileMapping`. */
export class CompiledMapping {
  /** Paths of the kind in the body of an event; empty if events do not state their kind there. */
  readonly kindPlaces: readonly Tokens[];
  private readonly kindPath: string;
  private readonly kindAlternatives: readonly (Tokens | HeaderSource)[];
  private readonly kinds: ReadonlyMap<string, MappedKind | 'ignored'>;
  readonly impression: CompiledImpression | undefined;
  readonly fields: Readonly<Record<EventKind, readonly CompiledField[] | undefined>>;
  readonly unit: TsUnit;
  readonly columns: readonly string[] | undefined;
  private readonly ignoresAnonymous: boolean;
  private readonly ignoresOthers: boolean;

  /** Use `compileMapping`, which validates the mapping first. */
  constructor(mapping: Mapping, at: string, hasRecords: boolean) {
    this.unit = mapping.tsUnit ?? 'ms';
    this.columns = mapping.columns;
    this.ignoresAnonymous = mapping.anonymous === 'ignored';
    this.ignoresOthers = mapping.kind?.others === 'ignored';
    const kind = alternativesAt([mapping.kind?.path ?? []].flat(), `${at}.kind.path`);
    this.kindPath = kind.text;
    this.kindPlaces = kind.pointers;
    this.kindAlternatives = kind.alternatives ?? kind.pointers;
    this.impression =
      mapping.impression && hasRecords
        ? compileImpression(mapping.impression, `${at}.impression`)
        : undefined;
    this.kinds = new Map(Object.entries(mapping.kind?.values ?? {}));
    this.fields = {
      exposure: compileKind(mapping.exposure, 'exposure', EXPOSURE_FIELDS, at, hasRecords),
      interaction: compileKind(
        mapping.interaction,
        'interaction',
        INTERACTION_FIELDS,
        at,
        hasRecords,
      ),
    };
  }

  /** The kind of a foreign event; undefined if unknown. */
  kindOf(
    event: EventFields,
    byTopic: EventKind | undefined,
    from?: RecordContext,
  ): MappedKind | 'ignored' | undefined {
    if (this.tellsKind) {
      const found = firstOf(this.kindAlternatives, event, from);
      return typeof found === 'object' ? undefined : this.kindNamed(String(found));
    }
    const kind = byTopic ?? this.onlyKind();
    if (kind === 'exposure' && this.fields.exposure === undefined && this.impression) {
      return 'impression';
    }
    return kind === undefined || !this.maps(kind) ? undefined : kind;
  }

  /** Kind of an event whose kind field has this text; undefined if unknown. */
  kindNamed(text: string): MappedKind | 'ignored' | undefined {
    const kind = this.kinds.get(text);
    if (kind === undefined && this.ignoresOthers) return 'ignored';
    if (kind === undefined || kind === 'ignored') return kind;
    // If lists are not assembled, impressions are ignored and only whole lists count.
    if (kind === 'impression' && this.impression === undefined) return 'ignored';
    return this.maps(kind) ? kind : undefined;
  }

  /** Describe the found kind, for a message. */
  describeKind(event: EventFields, from?: RecordContext): string {
    if (!this.tellsKind)
      return 'kind: the mapping does not say how to recognise the kind of this event';
    const found = firstOf(this.kindAlternatives, event, from);
    const known = [...this.kinds.keys()].map((kind) => JSON.stringify(kind)).join(', ');
    const text = found === undefined ? 'nothing' : describeFound(found);
    return `${this.kindPath}: expected one of ${known}, found ${text}`;
  }

  /** The canonical fields of a foreign event, not yet validated. */
  fieldsOf(kind: EventKind, event: EventFields, from?: RecordContext): EventFields {
    const fields: Record<string, unknown> = {};
    const segments: Record<string, unknown> = {};
    for (const compiled of this.fields[kind] ?? []) {
      const value = sourceValue(compiled, event, this.unit, from);
      if (compiled.dimension === undefined) {
        fields[compiled.field] = value;
      } else {
        segments[compiled.dimension] = segmentText(value);
        fields['segments'] = segments;
      }
    }
    return fields;
  }

  /**
   * Whether an event is ignored because it has no user. An event that has no time either is not
   * ignored, so that validation reports it.
   */
  passesOver(fields: EventFields): boolean {
    if (!this.ignoresAnonymous || isAbsent(fields, 'ts')) return false;
    return isAbsent(fields, 'user') || fields['user'] === '';
  }

  /**
   * Split a basket into one event for each of its items; any other event stays one. The first of
   * these events has the id of the basket. The others have this id, a slash and their index as id.
   */
  linesOf(kind: EventKind, fields: EventFields): readonly EventFields[] {
    const { id, item } = fields;
    const isBasket = this.fields[kind]?.some(
      ({ field, each, split }) => field === 'item' && (each ?? split) !== undefined,
    );
    if (!isBasket || !Array.isArray(item)) return [fields];
    return item.map((_, n) => {
      const own: Record<string, unknown> = { ...fields };
      for (const field of LINE_FIELDS) {
        const found = own[field];
        if (!Array.isArray(found)) continue;
        own[field] = ID_FIELDS.has(field) ? idText(found[n]) : found[n];
      }
      return n > 0 && typeof id === 'string' && id !== ''
        ? {
            ...own,
            id: `${id}/${n}`,
          }
        : own;
    });
  }

  /** All source paths; `*` stands for each entry of a list. */
  get places(): readonly Tokens[] {
    const { impression } = this;
    const parts = impression && [...impression.fields, ...impression.part];
    const all = [
      ...(this.fields.exposure ?? []),
      ...(this.fields.interaction ?? []),
      ...(parts ?? []).map(({ source }) => source),
    ];
    const places = all.flatMap(placesOfSource);
    return [...places, ...this.kindPlaces];
  }

  /**
   * Path of each field of a kind, for the fast path; undefined if the mapping does more than select
   * fields: for example if a field has several paths or is constant, if times are not in ms, or if
   * there are segments.
   */
  placesOf(kind: EventKind): readonly Place[] | undefined {
    const fields = this.fields[kind];
    if (fields === undefined || this.tellsKind || this.unit !== 'ms') return undefined;
    const places: Place[] = [];
    if (this.ignoresAnonymous) return undefined;
    for (const found of fields) {
      const { field, dimension, pointers, alternatives, each, constant } = found;
      if (alternatives !== undefined) return undefined;
      if (dimension !== undefined || (each !== undefined && kind === 'interaction')) {
        return undefined;
      }
      const [tokens] = pointers;
      if (constant !== undefined || pointers.length !== 1 || tokens === undefined) return undefined;
      if (isComputed(found)) return undefined;
      const whole = each === undefined ? tokens : [...tokens, EACH, ...each];
      places.push({
        field: FIELDS.indexOf(field),
        tokens: whole,
      });
    }
    return places;
  }

  /** Name of a field in messages: its canonical path and the source from which it was mapped. */
  nameOf(kind: EventKind, path: string): string {
    const [field, dimension] = path.split('/', 2);
    const compiled = this.fields[kind]?.find(
      (own) => own.field === field && (own.dimension ?? dimension) === dimension,
    );
    return compiled === undefined ? path : `${path} (from ${compiled.text})`;
  }

  /** Whether a field comes from the record or file that contains the event. */
  get takesOfRecord(): boolean {
    const fields = [...(this.fields.exposure ?? []), ...(this.fields.interaction ?? [])];
    return fields.some(({ record }) => record !== undefined);
  }

  /** Whether every event of a mixed topic is both a list and an interaction. */
  get isBoth(): boolean {
    const hasLists = this.maps('exposure') || this.maps('impression');
    return !this.tellsKind && hasLists && this.maps('interaction');
  }

  /** Whether events or their headers state the kind. */
  private get tellsKind(): boolean {
    return this.kindAlternatives.length > 0;
  }

  private maps(kind: MappedKind): boolean {
    return (kind === 'impression' ? this.impression : this.fields[kind]) !== undefined;
  }

  /** The only mapped kind; undefined if there are several. */
  private onlyKind(): MappedKind | undefined {
    const mapped = MAPPED_KINDS.filter((kind) => this.maps(kind));
    return mapped.length === 1 ? mapped[0] : undefined;
  }
}

const MAPPED_KINDS: readonly MappedKind[] = ['exposure', 'interaction', 'impression'];

function placesOfSource({ pointers, each, entry }: CompiledField): readonly Tokens[] {
  return pointers.flatMap((tokens) => {
    if (entry !== undefined) {
      const inside = [...entry.where.map((each) => each.tokens), entry.at];
      return inside.map((part) => [...tokens, EACH, ...part]);
    }
    return [each === undefined ? tokens : [...tokens, EACH, ...each]];
  });
}

/**
 * Validate a mapping and prepare it for use.
 *
 * Ids that are integers in the foreign schema become their decimal text; a mapped event then goes
 * through the same checks as a canonical one.
 *
 * @param at  name of the mapping in messages, e.g. its path in a configuration
 * @param hasRecords  whether events are records of a log, which need no id
 * @throws UnskewError USAGE with the path of the first fault
 * @example
 * compileMapping({
 *   tsUnit: 's',
 *   interaction: { id: '/uuid', ts: '/time', user: '/who/id', item: '/what', value: { constant: 1 } },
 * });
 */
export function compileMapping(
  mapping: Mapping,
  at = 'mapping',
  hasRecords = false,
): CompiledMapping {
  requireKeys(mapping, ['kind', 'columns', 'tsUnit', 'anonymous', ...MAPPED_KINDS], at);
  const { columns } = mapping;
  const areNames = columns === undefined || Array.isArray(columns);
  if (!areNames || columns?.some((name) => typeof name !== 'string')) {
    throw fault(`${at}.columns`, 'expected a list of names', columns);
  }
  if (mapping.anonymous !== undefined && mapping.anonymous !== 'ignored') {
    throw fault(`${at}.anonymous`, 'expected ignored', mapping.anonymous);
  }
  if (MAPPED_KINDS.every((kind) => !mapping[kind])) {
    throw fault(at, 'expected exposure, interaction or impression');
  }
  if (mapping.impression !== undefined && mapping.exposure === undefined && !hasRecords) {
    throw fault(`${at}.impression`, 'only the intake can assemble lists from impressions');
  }
  if (mapping.tsUnit !== undefined && !TS_UNITS.includes(mapping.tsUnit)) {
    throw fault(`${at}.tsUnit`, `expected one of ${TS_UNITS.join(', ')}`, mapping.tsUnit);
  }
  if (mapping.kind !== undefined) {
    checkKind(mapping, mapping.kind, `${at}.kind`);
  }
  return new CompiledMapping(mapping, at, hasRecords);
}

function checkKind(mapping: Mapping, kind: NonNullable<Mapping['kind']>, at: string): void {
  requireKeys(kind, ['path', 'values', 'others'], at);
  if (kind.path === undefined || [kind.path].flat().length === 0 || kind.path === '') {
    throw fault(`${at}.path`, 'expected at least one JSON Pointer');
  }
  if (kind.others !== undefined && kind.others !== 'ignored') {
    throw fault(`${at}.others`, 'expected ignored', kind.others);
  }
  requireObject(kind.values, `${at}.values`);
  for (const [value, name] of Object.entries(kind.values)) {
    const path = `${at}.values.${value}`;
    if (name !== 'ignored' && !MAPPED_KINDS.includes(name)) {
      throw fault(path, 'expected exposure, interaction, impression or ignored', name);
    }
    if (name !== 'ignored' && mapping[name] === undefined) {
      throw fault(path, `there is no mapping for ${name}`);
    }
  }
}

function compileKind(
  sources: ExposureMapping | InteractionMapping | undefined,
  kind: EventKind,
  known: readonly Field[],
  at: string,
  hasRecords: boolean,
): readonly CompiledField[] | undefined {
  if (sources === undefined) return undefined;
  requireKeys(sources, [...known, 'segments'], `${at}.${kind}`);
  const required = hasRecords ? REQUIRED[kind] : ['id', ...REQUIRED[kind]];
  for (const field of required) {
    if (!Object.hasOwn(sources, field)) throw fault(`${at}.${kind}.${field}`, 'missing');
  }
  const { segments = {}, ...single } = sources;
  requireObject(segments, `${at}.${kind}.segments`);
  checkLines(single, `${at}.${kind}`, hasRecords);
  return [
    ...Object.entries(single)
      .filter(([, source]) => source !== undefined)
      .map(([field, source]) => compileSource(field as Field, source, `${at}.${kind}.${field}`)),
    ...Object.entries(segments).map(([dimension, source]) => ({
      ...compileSource('segments', source, `${at}.${kind}.segments.${dimension}`),
      dimension,
    })),
  ];
}

/**
 * Check the sources of the fields of one kind. Only interactions may have several lines, all fields
 * that differ between lines must be read from the same list, and `join` is only allowed for records
 * of a log.
 */
function checkLines(sources: Readonly<object>, at: string, hasRecords: boolean): void {
  const lists: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(sources).flatMap(([field, source]) => {
      const isObject = typeof source === 'object' && source !== null && !Array.isArray(source);
      if (isObject && 'join' in source && !hasRecords) {
        throw fault(`${at}.${field}`, 'join is only for ids of lists that the intake assembles');
      }
      const isList = isObject && ('each' in source || 'split' in source);
      return isList && LINE_FIELDS.has(field) ? [[field, (source as { path: unknown }).path]] : [];
    }),
  );
  for (const [field, path] of Object.entries(lists)) {
    if ('items' in sources) throw noList(field, `${at}.${field}`);
    const last = [path].flat().at(-1);
    if (last === [lists['item']].flat().at(-1)) continue;
    throw fault(`${at}.${field}.path`, 'expected the same path as for item');
  }
}

/** Convert numbers and booleans to text; other values are rejected later. */
function segmentText(found: unknown): unknown {
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : idText(found);
}
