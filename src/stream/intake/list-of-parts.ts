import type { ExposureEvent } from '../../events/encode.js';
import { MAX_ID_BYTES, MAX_LIST_LENGTH } from '../../events/field.js';
import type { Part } from './part.js';

/** A list of parts, and how many of them it has no room for. */
export interface AssembledList {
  readonly event: ExposureEvent;
  /** Parts whose item stands in the list already, by the first of its places. */
  readonly repeated: number;
  /** Parts beyond the longest list that there is. */
  readonly beyond: number;
}

/**
 * Makes a list of its parts. They stand by place, those without one behind; parts of one place by
 * time, then by id. What a list says once is that of its first part by time, and its time too: it is
 * the moment from which on the list could be seen.
 *
 * Its id is what the parts share, with surface and page behind it; where they share nothing, the id
 * of the first part. So the same parts make the same list, whatever their order.
 * `firstRank` is its least place, where parts are numbered and the mapping gives a request.
 *
 * @param parts at least one
 * @param firstPlace the number of a page's first place
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
    if (seen.has(item)) repeated++;
    else if (taken.length < MAX_LIST_LENGTH) taken.push(part);
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
  return { event, repeated, beyond };
}

function idOf({ event, list, surface, page }: Part): string {
  const id = [list ?? event.id, surface, page].filter((text) => text !== undefined).join('/');
  // Ids are no longer than this; where texts of their own are, the part's id tells lists apart too.
  return id.length * 3 > MAX_ID_BYTES ? event.id : id;
}

/** Of every item, or of none. */
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

/** By event time, then by id: no two parts of a list have the same. */
export function byTime(a: Part, b: Part): number {
  return a.event.ts - b.event.ts || compare(a.event.id, b.event.id);
}

function byPlace(a: Part, b: Part): number {
  const [place, other] = [a.place ?? Number.POSITIVE_INFINITY, b.place ?? Number.POSITIVE_INFINITY];
  return place === other ? byTime(a, b) : place - other;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
