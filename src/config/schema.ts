/**
 * JSON Schema (draft 2020-12) of what may be written: plain objects, which typebox checks. Its own
 * builders would double the time that the help of a command takes to start.
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
  /** An object with any names. */
  Record: (values: JsonSchema): JsonSchema => ({
    type: 'object',
    patternProperties: { '^.*$': values },
  }),
} as const;
