import { type ExposureEvent, encodeEvent } from '../../events/encode.js';
import { MAX_ID_BYTES } from '../../events/field.js';
import { describeFound } from '../../events/found.js';
import type { PartField } from '../../events/mapping/impression.js';

/** One item of a list that is still to be assembled. */
export interface Part {
  /** A list of this one item, under the id of the part. */
  readonly event: ExposureEvent & { readonly ts: number };
  /** What the parts of its list share; absent where user and time tell them. */
  readonly list?: string;
  readonly surface?: string;
  readonly page?: string;
  readonly place?: number;
}

/** What is wrong with what a part says of its place in its list. */
export interface PartFault {
  readonly reason: 'wrong_type' | 'not_a_number' | 'id_too_long';
  readonly detail: string;
}

const NAMES = ['list', 'surface', 'page'] as const;
const NUMERAL = /^-?\d{1,15}(\.\d{1,9})?$/;

/** The part that a mapped impression is; null and empty text are the same as nothing. */
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
    // Three bytes of UTF-8 are the most that one unit of the text takes.
    if (value.length * 3 > MAX_ID_BYTES) {
      return { reason: 'id_too_long', detail: `${name}: expected at most 170 characters` };
    }
    part[name] = value;
  }
  const place = placeOf(found.place);
  if (Number.isNaN(place)) {
    const detail = `place: expected a number, found ${describeFound(found.place)}`;
    return { reason: 'not_a_number', detail };
  }
  return { ...part, ...(place !== undefined && { place }) } as unknown as Part;
}

/** Undefined where there is none; NaN for what is no number. */
function placeOf(found: unknown): number | undefined {
  if (found === undefined || found === null || found === '') return undefined;
  if (typeof found === 'string') return NUMERAL.test(found) ? Number(found) : Number.NaN;
  return typeof found === 'number' || typeof found === 'bigint' ? Number(found) : Number.NaN;
}

export function isFault(found: Part | PartFault): found is PartFault {
  return 'reason' in found;
}

/**
 * A part as it is written to the internal topic; the user is the record's key too.
 *
 * @example
 * const event = { type: 'exposure', id: 'v/0/7', ts: 5, user: 'u', model: 'm', items: ['a'] };
 * readPart(new TextEncoder().encode(writePart({ event, list: 'r1', place: 2 })))?.place; // 2
 */
export function writePart({ event, ...shared }: Part): string {
  const rest = JSON.stringify(shared).slice(1);
  return `{"event":${encodeEvent(event)}${rest === '}' ? '' : ','}${rest}`;
}

/** Undefined for what `writePart` has not written. */
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
