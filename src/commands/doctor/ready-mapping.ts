import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import { Decoder } from '../../events/decode.js';
import { ACCEPTED, IGNORED } from '../../events/fault.js';
import { parseJson } from '../../events/json-parse.js';
import { resolvePointer } from '../../events/mapping/field-source.js';
import {
  type CompiledMapping,
  EXPOSURE_FIELDS,
  INTERACTION_FIELDS,
} from '../../events/mapping/mapping.js';
import {
  MAPPING_NAMES,
  type MappingName,
  mappingNamed,
} from '../../events/mapping/named-mappings.js';
import type { EventRole } from '../../events/parse.js';
import type { Survey } from '../../events/survey-kinds.js';
import type { SourceRecord } from '../../stream/intake/shuffle.js';

/** How to read a sample without guesses: with a built-in mapping, or as canonical events. */
export type Ready =
  | {
      readonly is: 'canonical';
      readonly role: EventRole;
    }
  | {
      readonly is: 'mapping';
      readonly name: MappingName;
    };

/**
 * A mapping fits only if it reads at least this share of a sample's records as events, or ignores
 * them.
 */
const MOST = 0.95;
/** A mapping fits only if it reads more than this share of a sample's records as events. */
const SOME = 0.05;
const MOST_TRIED = 500;

const EVENT_ROLES: readonly EventRole[] = ['mixed', 'exposures', 'interactions'];
const WAYS: readonly Ready[] = [
  ...EVENT_ROLES.map(
    (role): Ready => ({
      is: 'canonical',
      role,
    }),
  ),
  ...MAPPING_NAMES.map(
    (name): Ready => ({
      is: 'mapping',
      name,
    }),
  ),
];

/**
 * Find a way to read a sample without a written mapping; undefined if none fits.
 *
 * @param hasRoles whether the sample can be declared to have one kind of events, as a topic can.
 * Events may then omit their kind
 */
export function readyFor(
  sample: readonly Pick<SourceRecord, 'from' | 'value'>[],
  hasRoles: boolean,
): Ready | undefined {
  const records = sample.slice(0, MOST_TRIED).filter(({ value }) => value !== null);
  const ways = WAYS.filter((way) => hasRoles || way.is === 'mapping' || way.role === 'mixed');
  return ways.find((way) => reads(records, way));
}

function reads(records: readonly Pick<SourceRecord, 'from' | 'value'>[], way: Ready): boolean {
  const values = records.flatMap(({ value }) => value ?? []);
  const mapping = way.is === 'canonical' ? {} : { mapping: mappingNamed(way.name) };
  const role = way.is === 'canonical' ? way.role : 'mixed';
  const decoder = new Decoder({
    maxFutureMs: 0,
    ...mapping,
    takePart: () => undefined,
  });
  const ids = { intern: () => 0 };
  const tables = {
    users: ids,
    items: ids,
    models: ids,
  };
  const batch = {
    interactions: new InteractionColumns(1),
    exposures: new ExposureColumns(1),
  };
  let events = 0;
  let passed = 0;
  for (const [n, { from }] of records.entries()) {
    const bytes = values[n]!;
    batch.interactions.clear();
    batch.exposures.clear();
    const end = bytes.length;
    const latest = Number.POSITIVE_INFINITY;
    const code = decoder.decode(bytes, 0, end, role, latest, tables, batch, undefined, from);
    if (code === ACCEPTED) {
      events++;
    } else if (code === IGNORED) {
      passed++;
    }
  }
  if (way.is === 'canonical' ? !areOurs(values) : !isWhole(decoder.mapping, values)) return false;
  return events > SOME * values.length && events + passed >= MOST * values.length;
}

/**
 * Whether all events have only canonical fields. An unknown field may mean the same as a canonical
 * one.
 */
function areOurs(values: readonly Uint8Array[]): boolean {
  return values.slice(0, MOST_LOOKED_AT).every((bytes) => {
    const event = parsed(bytes);
    if (typeof event !== 'object' || event === null) return true;
    const known = 'items' in event ? EXPOSURE_FIELDS : INTERACTION_FIELDS;
    const names = Object.keys(event);
    return names.every((name) => OF_BOTH.has(name) || known.some((field) => field === name));
  });
}

const OF_BOTH: ReadonlySet<string> = new Set(['type', 'segments']);

/**
 * Whether every field of a mapping occurs in the sample. This is checked only if the mapping does
 * not distinguish kinds of events: events with only some of its fields would fit such a mapping
 * too.
 */
function isWhole(mapping: CompiledMapping | undefined, values: readonly Uint8Array[]): boolean {
  if (mapping === undefined || mapping.kindPlaces.length > 0) return true;
  const events = values.slice(0, MOST_LOOKED_AT).map((bytes) => parsed(bytes));
  const fields = [...(mapping.fields.exposure ?? []), ...(mapping.fields.interaction ?? [])];
  return fields.every(({ pointers, fallback }) => {
    if (pointers.length === 0 || fallback !== undefined) return true;
    return events.some((event) => {
      return pointers.some((tokens) => (resolvePointer(event, tokens) ?? undefined) !== undefined);
    });
  });
}

const MOST_LOOKED_AT = 50;

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Whether files come from LensKit: one file has lists, and another has ratings. The file of lists
 * has one list per user, nested in a column and without a time. One of the two files alone is not
 * conclusive.
 */
export function areOfLensKit(surveys: readonly Survey[]): boolean {
  const are = surveys.map(({ counts }) => {
    const places = new Set(counts.seen.map(({ path, each = '' }) => path + each));
    const hasAll = (...names: string[]) => names.every((name) => places.has(name));
    if (hasAll('/user_id', '/items/item_id', '/items/rank') && places.size <= NESTED_PLACES) {
      return 'lists';
    }
    const isLong = places.has('/rank') || places.has('/score');
    return hasAll('/user_id', '/item_id') && !isLong ? 'ratings' : 'other';
  });
  return are.includes('lists') && are.includes('ratings') && !are.includes('other');
}

/** Most distinct fields in LensKit's lists: user, list, and the list's items, ranks and scores. */
const NESTED_PLACES = 5;
