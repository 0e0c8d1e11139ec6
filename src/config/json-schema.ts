import { isKey, type Key, type Section } from './key.js';
import type { JsonSchema } from './schema.js';
import { rangeText } from './words.js';

/**
 * Schema of a key that is written without a value, which YAML reads as null. Such a key counts as
 * not set.
 */
const NOT_GIVEN = { type: 'null' };

/**
 * Build the JSON Schema (draft 2020-12) of a configuration file for editors: allowed values,
 * descriptions and defaults. Rules between several keys are checked only by `unskew config`.
 */
export function jsonSchema(keys: Section): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'unskew configuration',
    ...sectionSchema(keys),
  };
}

function sectionSchema(section: Section): JsonSchema {
  const properties = Object.entries(section).map(([name, node]) => [
    name,
    isKey(node) ? keySchema(node) : sectionSchema(node),
  ]);
  return {
    type: ['object', 'null'],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function keySchema(key: Key): JsonSchema {
  const { default: fallback, derived, examples, secret } = key;
  return {
    description: [
      key.description,
      `Expected: ${rangeText(key)}.`,
      ...(derived === undefined ? [] : [`Default: ${derived}.`]),
    ].join(' '),
    ...(fallback !== undefined && { default: fallback }),
    ...(examples.length > 0 && { examples }),
    ...(secret === true && { writeOnly: true }),
    ...(key.fields !== undefined
      ? sectionSchema(key.fields)
      : { anyOf: [key.editorSchema ?? key.schema, NOT_GIVEN] }),
  };
}
