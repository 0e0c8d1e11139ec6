import { CLOUDEVENTS } from './cloudevents.js';
import { DSJSON } from './dsjson.js';
import { GA4 } from './ga4.js';
import { LENSKIT } from './lenskit.js';
import type { Mapping } from './mapping.js';
import { METARANK } from './metarank.js';
import { MIND } from './mind.js';
import { OBP } from './obp.js';
import { POSTHOG, SEGMENT } from './product-events.js';
import { SNOWPLOW } from './snowplow.js';
import { UBI } from './ubi.js';

/** Built-in mappings by name. */
const MAPPINGS = {
  cloudevents: CLOUDEVENTS,
  dsjson: DSJSON,
  ga4: GA4,
  lenskit: LENSKIT,
  metarank: METARANK,
  mind: MIND,
  obp: OBP,
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

/** Mapping of each file, by file name. */
export function mappingsOf(
  files: Readonly<Record<string, MappingName | Mapping>>,
): Readonly<Record<string, Mapping>> {
  const all = Object.entries(files).map(([name, given]) => [name, mappingOf(given)] as const);
  return Object.fromEntries(all);
}

/** A mapping given by name or as an object. */
export function mappingOf(given: MappingName | Mapping): Mapping {
  return isMappingName(given) ? mappingNamed(given) : given;
}
