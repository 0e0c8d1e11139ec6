import { CLOUDEVENTS } from './cloudevents.js';
import { DSJSON } from './dsjson.js';
import { GA4 } from './ga4.js';
import type { Mapping } from './mapping.js';
import { METARANK } from './metarank.js';
import { POSTHOG, SEGMENT } from './product-events.js';
import { SNOWPLOW } from './snowplow.js';
import { UBI } from './ubi.js';

/** The mappings that are ready, by name. */
const MAPPINGS = {
  cloudevents: CLOUDEVENTS,
  dsjson: DSJSON,
  ga4: GA4,
  metarank: METARANK,
  posthog: POSTHOG,
  rudderstack: SEGMENT,
  segment: SEGMENT,
  snowplow: SNOWPLOW,
  ubi: UBI,
} as const satisfies Readonly<Record<string, Mapping>>;

export type MappingName = keyof typeof MAPPINGS;
export const MAPPING_NAMES = Object.keys(MAPPINGS) as readonly MappingName[];

export function isMappingName(name: unknown): name is MappingName {
  return typeof name === 'string' && Object.hasOwn(MAPPINGS, name);
}

export function mappingNamed(name: MappingName): Mapping {
  return MAPPINGS[name];
}

/** A mapping as it is given: by its name, or itself. */
export function mappingOf(given: MappingName | Mapping): Mapping {
  return isMappingName(given) ? mappingNamed(given) : given;
}
