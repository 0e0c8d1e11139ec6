import { type ExposureEvent, encodeEvent } from '../../events/encode.js';
import { MAX_ID_BYTES, MAX_LIST_LENGTH } from '../../events/field.js';
import { describeFound } from '../../events/found.js';
import type { PartField } from '../../events/mapping/impression.js';

/** One item of a list that is being assembled: an impression of a single item. */
export interface Part {
  /** The impression as a list with only this item, under the id of the part. */
  readonly event: ExposureEvent & { readonly ts: number };
  /** Shared id of the parts of a list; undefined if user and time identify the list. */
  readonly list?: string;
  readonly surface?: string;
  readonly page?: string;
  /** Position of the item in the list, counted as the mapping counts. */
  readonly place?: number;
}

/** Why a part is invalid: a field of its list or its position cannot be read. */
export interface PartFault {
  readonly reason: 'wrong_type' | 'not_a_number' | 'id_too_long';
  readonly detail: string;
}

const NAMES = ['list', 'surface', 'page'] as const;
const NUMERAL = /^-?\d{1,15}(\.\d{1,9})?$/;

/** Convert an impression read through a mapping to a part; null and empty text count as missing. */
export function partOf(
  event: Part['event'],
  found: Readonly<Partial<Record<PartField, unknown>>>,
): Part | PartFault {
  const part: Record<string, unknown> = { event };
  for (const name of NAMES) {
    const value = found[name];
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') {
      return {
        reason: 'wrong_type',
        detail: `${name}: expected text, found ${describeFound(value)}`,
      };
    }
    // One UTF-16 unit takes at most three bytes of UTF-8.
    if (value.length * 3 > MAX_ID_BYTES) {
      return {
        reason: 'id_too_long',
        detail: `${name}: expected at most 170 characters`,
      };
    }
    part[name] = value;
  }
  const place = placeOf(found.place);
  if (Number.isNaN(place)) {
    const detail = `place: expected a number, found ${describeFound(found.place)}`;
    return {
      reason: 'not_a_number',
      detail,
    };
  }
  return {
    ...part,
    ...(place !== undefined && { place }),
  } as unknown as Part;
}

/** The position; undefined if missing, NaN if it is not a number. */
function placeOf(found: unknown): number | undefined {
  if (found === undefined || found === null || found === '') return undefined;
  if (typeof found === 'string') return NUMERAL.test(found) ? Number(found) : Number.NaN;
  return typeof found === 'number' || typeof found === 'bigint' ? Number(found) : Number.NaN;
}

export function isFault(found: Part | PartFault): found is PartFault {
  return 'reason' in found;
}

/**
 * Encode a part for the internal topic of parts; the user is the key of its record.
 *
 * @example
 * const event = { type: 'exposure', id: 'v/0/7', ts: 5, user: 'u', model: 'm', items: ['a'] };
 * readPart(new TextEncoder().encode(writePart({ event, list: 'r1', place: 2 })))?.place; // 2
 */
export function writePart({ event, ...shared }: Part): string {
  const rest = JSON.stringify(shared).slice(1);
  return `{"event":${encodeEvent(event)}${rest === '}' ? '' : ','}${rest}`;
}

/** Decode a part; undefined for anything but the output of `writePart`. */
export function readPart(value: Uint8Array): Part | undefined {
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
  const event = (found as Partial<Part> | null)?.event as Partial<Part['event']> | undefined;
  const isSound =
    typeof event?.id === 'string' &&
    typeof event.user === 'string' &&
    typeof event.model === 'string' &&
    Number.isFinite(event.ts) &&
    Array.isArray(event.items) &&
    event.items.length === 1;
  return isSound ? (found as Part) : undefined;
}

/** An assembled list, with the numbers of parts that were left out. */
export interface AssembledList {
  readonly event: ExposureEvent;
  /** Number of parts whose item is already in the list at an earlier position. */
  readonly repeated: number;
  /** Number of parts left out because the list has its maximum length. */
  readonly beyond: number;
}

/**
 * Assemble a list from its parts. Parts are ordered by position, and parts without a position come
 * last. Parts at the same position are ordered by time, then by id. The time of the list and its
 * other fields come from the earliest part, since the list was visible from then on.
 *
 * The id of the list is the id that its parts share, with surface and page. Without a shared id, the
 * id of the earliest part is used instead. So the order in which parts arrive does not matter. If
 * parts have positions and the mapping gives a request, `firstRank` is the smallest position.
 *
 * @param parts at least one
 * @param firstPlace the number of a page's first position
 * @example
 * const part = (item, ts, place) => ({
 *   event: { type: 'exposure', id: item, ts, user: 'u', model: 'm', items: [item] },
 *   list: 'r1',
 *   place,
 * });
 * listOf([part('b', 10, 2), part('a', 11, 1)], 1).event.items; // ['a', 'b']
 */
export function listOf(parts: readonly Part[], firstPlace: number): AssembledList {
  const first = parts.reduce((best, part) => (byTime(part, best) < 0 ? part : best));
  const ranked = [...parts].sort(byPlace);
  const seen = new Set<string>();
  const taken: Part[] = [];
  let repeated = 0;
  for (const part of ranked) {
    const [item] = part.event.items as [string];
    if (seen.has(item)) {
      repeated++;
    } else if (taken.length < MAX_LIST_LENGTH) {
      taken.push(part);
    }
    seen.add(item);
  }
  const beyond = parts.length - repeated - taken.length;
  const { items: _item, scores: _score, propensities: _propensity, ...shared } = first.event;
  const event: ExposureEvent = {
    ...shared,
    id: idOf(first),
    items: taken.map((part) => part.event.items[0]!),
    ...numbersOf(taken, 'scores'),
    ...numbersOf(taken, 'propensities'),
    ...firstRankOf(shared, taken, firstPlace),
  };
  return {
    event,
    repeated,
    beyond,
  };
}

/**
 * Assemble the lists of parts that belong together. Parts of several models form one list per model
 * if the models rank the same items or fill the same positions, or if the parts share no id.
 * Otherwise all parts form one list.
 *
 * If there are several lists, one of them gets the shared id: that of the model of the first shown
 * part. The ids of the others end with their model.
 *
 * @param parts at least one; their order determines which model comes first
 */
export function listsOf(parts: readonly Part[], firstPlace: number): readonly AssembledList[] {
  const models = byModel(parts);
  const isNamed = parts[0]!.list !== undefined;
  if (models.size === 1 || (isNamed && !areApart([...models.values()]))) {
    return [listOf(parts, firstPlace)];
  }
  const leading = parts.find(({ event }) => event.shown !== false) ?? parts[0]!;
  return [...models].map(([model, own]) => {
    const list = listOf(own, firstPlace);
    if (!isNamed || model === leading.event.model) return list;
    const id = `${list.event.id}/${model}`;
    const isLong = id.length * 3 > MAX_ID_BYTES;
    return {
      ...list,
      event: {
        ...list.event,
        id: isLong ? own[0]!.event.id : id,
      },
    };
  });
}

function byModel(parts: readonly Part[]): ReadonlyMap<string, readonly Part[]> {
  const models = new Map<string, Part[]>();
  for (const part of parts) {
    const { model } = part.event;
    const own = models.get(model);
    if (own === undefined) {
      models.set(model, [part]);
    } else {
      own.push(part);
    }
  }
  return models;
}

/** Whether models share an item or a position, so that their parts cannot belong to one list. */
function areApart(models: readonly (readonly Part[])[]): boolean {
  const isShared = (of: (part: Part) => unknown) => {
    const sets = models.map((parts) => new Set(parts.flatMap((part) => of(part) ?? [])));
    const all = new Set(sets.flatMap((each) => [...each]));
    return sets.reduce((sum, { size }) => sum + size, 0) > all.size;
  };
  return isShared(({ event }) => event.items[0]) || isShared(({ place }) => place);
}

function idOf({ event, list, surface, page }: Part): string {
  const id = [list ?? event.id, surface, page].filter((text) => text !== undefined).join('/');
  // Ids have a maximum length; the id of the part then identifies the list.
  return id.length * 3 > MAX_ID_BYTES ? event.id : id;
}

/** The scores or propensities of the parts, in their order; empty unless every part has one. */
function numbersOf(
  parts: readonly Part[],
  field: 'scores' | 'propensities',
): Partial<Record<'scores' | 'propensities', readonly number[]>> {
  const numbers = parts.flatMap(({ event }) => event[field] ?? []);
  return numbers.length === parts.length ? { [field]: numbers } : {};
}

function firstRankOf(
  { firstRank, request }: Partial<ExposureEvent>,
  parts: readonly Part[],
  firstPlace: number,
): { readonly firstRank?: number } {
  if (firstRank !== undefined || request === undefined) return {};
  const places = parts.flatMap(({ place }) => place ?? []);
  if (places.length === 0) return {};
  const least = Math.round(Math.min(...places) - firstPlace);
  const most = MAX_LIST_LENGTH - parts.length;
  return least > 0 && least <= most ? { firstRank: least } : {};
}

/** Order by event time, then by id, which is unique within a list. */
export function byTime(a: Part, b: Part): number {
  return a.event.ts - b.event.ts || compare(a.event.id, b.event.id);
}

function byPlace(a: Part, b: Part): number {
  const place = a.place ?? Number.POSITIVE_INFINITY;
  const other = b.place ?? Number.POSITIVE_INFINITY;
  return place === other ? byTime(a, b) : place - other;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
