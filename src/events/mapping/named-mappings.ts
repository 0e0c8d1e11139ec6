import type { Mapping } from './mapping.js';
import { METARANK } from './metarank.js';

/** The mappings that are ready, by name. */
const MAPPINGS = {
  metarank: METARANK,
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
