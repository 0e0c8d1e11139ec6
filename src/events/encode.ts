import type { PropensityOf } from './field.js';

/** One ranked list by one model for one user; the fields are those of the wire. */
export interface ExposureEvent {
  readonly type: 'exposure';
  readonly id: string;
  /** ms since the epoch, or ISO 8601 with a zone. */
  readonly ts: number | string;
  /** When a collector received it, as `ts`. */
  readonly received?: number | string;
  readonly user: string;
  readonly model: string;
  /** Best first, without repeats. */
  readonly items: readonly string[];
  readonly shown?: boolean;
  readonly randomized?: boolean;
  /** How many items the list was ranked among. */
  readonly candidates?: number;
  readonly sampled?: boolean;
  readonly scores?: readonly number[];
  readonly propensities?: readonly number[];
  /** How many places of the page stand above the list, where the list is a part of a page. */
  readonly firstRank?: number;
  /** Id that the lists of all models for one request share. */
  readonly request?: string;
  /** The chance that this list would be served; absent for one that could not have been. */
  readonly share?: number;
  /** How many places of the list could be seen. */
  readonly depth?: number;
  /** What the propensities are of; that the item stands in its slot, by default. */
  readonly propensityOf?: PropensityOf;
  /** What is known of the request, by dimension. */
  readonly segments?: Readonly<Record<string, string>>;
}

/** One user's feedback on one item. */
export interface InteractionEvent {
  readonly type: 'interaction';
  readonly id: string;
  /** ms since the epoch, or ISO 8601 with a zone. */
  readonly ts: number | string;
  /** When a collector received it, as `ts`. */
  readonly received?: number | string;
  readonly user: string;
  readonly item: string;
  readonly action?: string;
  readonly value?: number;
  /** Id of the exposure that led to it. */
  readonly exposure?: string;
  readonly randomized?: boolean;
  /** What is known of it, by dimension. */
  readonly segments?: Readonly<Record<string, string>>;
}

const EXPOSURE_KEYS = [
  'type',
  'id',
  'ts',
  'user',
  'model',
  'items',
  'shown',
  'randomized',
  'candidates',
  'sampled',
  'scores',
  'propensities',
  'firstRank',
  'request',
  'share',
  'depth',
  'propensityOf',
  'received',
] as const satisfies readonly (keyof ExposureEvent)[];

const INTERACTION_KEYS = [
  'type',
  'id',
  'ts',
  'user',
  'item',
  'action',
  'value',
  'exposure',
  'randomized',
  'received',
] as const satisfies readonly (keyof InteractionEvent)[];

/**
 * Writes an event in its canonical form: JSON on one line, keys in the order of the contract,
 * fields that are not stated left out, nothing else of the object taken over.
 *
 * The event is not checked; a decoder does that.
 *
 * @returns the line, without a line end
 * @example
 * JSON.parse(encodeEvent({ type: 'interaction', id: 'i1', ts: 0, user: 'u1', item: 'a' })).ts; // 0
 */
export function encodeEvent(event: ExposureEvent | InteractionEvent): string {
  // With a list of keys JSON.stringify would write the same, in twice the time.
  const keys: readonly string[] = event.type === 'exposure' ? EXPOSURE_KEYS : INTERACTION_KEYS;
  const stated: Record<string, unknown> = {};
  for (const key of keys) {
    const value = event[key as keyof typeof event];
    if (value !== undefined) {
      stated[key] = value;
    }
  }
  const text = JSON.stringify(stated);
  const { segments } = event;
  if (segments === undefined) return text;
  // The list of keys would hold for a nested object too.
  const names = Object.keys(segments).sort();
  return `${text.slice(0, -1)},"segments":${JSON.stringify(segments, names)}}`;
}
