/**
 * JSON Schema (draft 2020-12) as a plain object, which typebox validates with. The builders of
 * typebox would double the start time of `--help`.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

type More = Readonly<Record<string, unknown>>;

export const Type = {
  String: (more: More = {}): JsonSchema => ({
    type: 'string',
    ...more,
  }),
  Integer: (more: More = {}): JsonSchema => ({
    type: 'integer',
    ...more,
  }),
  Number: (more: More = {}): JsonSchema => ({
    type: 'number',
    ...more,
  }),
  Boolean: (): JsonSchema => ({ type: 'boolean' }),
  Unknown: (): JsonSchema => ({}),
  Literal: (value: string): JsonSchema => ({
    type: 'string',
    const: value,
  }),
  Enum: (values: readonly string[]): JsonSchema => ({ enum: values }),
  Union: (anyOf: readonly JsonSchema[]): JsonSchema => ({ anyOf }),
  Array: (items: JsonSchema, more: More = {}): JsonSchema => ({
    type: 'array',
    items,
    ...more,
  }),
  /** Schema of an object with arbitrary property names. */
  Record: (values: JsonSchema): JsonSchema => ({
    type: 'object',
    patternProperties: { '^.*$': values },
  }),
} as const;
