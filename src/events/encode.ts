import type { PropensityOf } from './field.js';

/** One ranked list by one model for one user, with the fields of the JSON format. */
export interface ExposureEvent {
  readonly type: 'exposure';
  readonly id: string;
  /** ms since the epoch, or ISO 8601 with a zone. */
  readonly ts: number | string;
  /** Time at which a collector received the event, in the form of `ts`. */
  readonly received?: number | string;
  readonly user: string;
  readonly model: string;
  /** Item ids, best first, without repeats. */
  readonly items: readonly string[];
  readonly shown?: boolean;
  readonly randomized?: boolean;
  /** Number of candidates that the model ranked. */
  readonly candidates?: number;
  readonly sampled?: boolean;
  readonly scores?: readonly number[];
  readonly propensities?: readonly number[];
  /** Number of positions on the page that come before the list, if it is a part of a page. */
  readonly firstRank?: number;
  /** Id that the lists of all models for one request share. */
  readonly request?: string;
  /** Probability that this list is served; absent for one that is never served. */
  readonly share?: number;
  /** Number of visible positions of the list. */
  readonly depth?: number;
  /** Kind of the propensities; `slot` by default. */
  readonly propensityOf?: PropensityOf;
  /** Segment values by dimension. */
  readonly segments?: Readonly<Record<string, string>>;
}

/** One user's feedback on one item. */
export interface InteractionEvent {
  readonly type: 'interaction';
  readonly id: string;
  /** ms since the epoch, or ISO 8601 with a zone. */
  readonly ts: number | string;
  /** Time at which a collector received the event, in the form of `ts`. */
  readonly received?: number | string;
  readonly user: string;
  readonly item: string;
  readonly action?: string;
  readonly value?: number;
  /** Id of the exposure that led to the interaction. */
  readonly exposure?: string;
  readonly randomized?: boolean;
  /** Segment values by dimension. */
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
 * Write an event in its canonical form: JSON on one line, keys in a fixed order, without absent or
 * unknown fields.
 *
 * The event is not validated.
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
  // `JSON.stringify` with a list of keys would apply it to nested objects too.
  const names = Object.keys(segments).sort();
  return `${text.slice(0, -1)},"segments":${JSON.stringify(segments, names)}}`;
}
