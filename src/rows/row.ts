import { type Static, Type } from 'typebox';

declare const unknownAsNull: unique symbol;

/** Marker type for a number that may be unknown: NaN in memory, null in JSON. */
export interface MaybeUnknown {
  readonly [unknownAsNull]: true;
}

/**
 * Schema of a number that may be unknown. JSON has no NaN, so unknown numbers are null.
 *
 * @param description description of the number for the API documentation.
 */
export const Num = (description?: string) =>
  Type.Unsafe<MaybeUnknown>({
    anyOf: [{ type: 'number' }, { type: 'null' }],
    ...(description === undefined ? {} : { description: `${description}; null: unknown` }),
  });

/** In-memory type of a schema: read-only, with NaN for unknown numbers. */
export type Memory<T> = T extends MaybeUnknown
  ? number
  : T extends (infer Item)[]
    ? readonly Memory<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Memory<T[Key]> }
      : T;

/** JSON type of a schema, with null for unknown numbers. */
export type Wire<T> = T extends MaybeUnknown
  ? number | null
  : T extends (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;

/**
 * Status of a number. `given`: it is reported; `bound`: a one-sided bound is reported instead of an
 * estimate; `withheld`: it could be computed but is not reported; `refused`: it cannot be computed.
 */
export const STATUSES = ['given', 'bound', 'withheld', 'refused'] as const;

/**
 * Consequence of a reason for a number. `refused`: it cannot be computed; `withheld`: it is not
 * reported; `bound`: it is only a bound; `undecided`: no verdict or alert rests on it; `caution`:
 * it needs caution.
 */
export const CONSEQUENCES = ['refused', 'withheld', 'bound', 'undecided', 'caution'] as const;
export type Consequence = (typeof CONSEQUENCES)[number];

/** Schema of a reason why a number is missing or needs caution. */
export const Reason = Type.Object({
  code: Type.String({ description: 'One of a fixed set of codes; the findings explain each' }),
  consequence: Type.Enum([...CONSEQUENCES]),
  figures: Type.Record(Type.String(), Num()),
});

/**
 * Forms of a number, by what it is a mean over: all events (`pooled`), users, requests or lists.
 */
export const FORMS = ['pooled', 'user', 'request', 'list'] as const;

const named = {
  family: Type.String({
    description: 'estimates, uncaused, on_policy, values, ratings or segments',
  }),
  model: Type.String(),
  metric: Type.String(),
  k: Type.Union([Type.Number(), Type.Null()], {
    description: 'Cut-off k; null: the metric has none',
  }),
  estimator: Type.String(),
  form: Type.Enum([...FORMS], {
    description: 'What the number is a mean over',
  }),
  segment: Type.Optional(
    Type.Object({
      dimension: Type.String(),
      kind: Type.Enum(['value', 'missing', 'other']),
      value: Type.String(),
    }),
  ),
};

const number = {
  value: Num(),
  stdErr: Num('Standard error'),
  lower: Num('Lower end of the 95 % interval'),
  upper: Num('Upper end of the 95 % interval'),
  ess: Num('Effective sample size'),
  counts: Type.Record(Type.String(), Type.Number(), {
    description: 'Counts behind the number: users, rows, pairs, requests or lists',
  }),
  status: Type.Enum([...STATUSES]),
  reasons: Type.Array(Reason),
  more: Type.Optional(Type.Record(Type.String(), Num())),
  guarantees: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        lower: Num(),
        upper: Num(),
      }),
      {
        description: 'Further bounds, each with a guarantee of its own',
      },
    ),
  ),
};

/**
 * Schema of a row: one number with its interval, or the reasons why it is missing. Types, JSON
 * Schema, table columns and gauge labels are derived from it.
 */
export const Row = Type.Object({
  ...named,
  ...number,
});
export type Row = Memory<Static<typeof Row>> & {
  /** The two sums whose ratio is the value of a metric, for gauges. */
  readonly sums?: {
    readonly numerator: number;
    readonly denominator: number;
  };
};
export type Reason = Memory<Static<typeof Reason>>;

/** Schema of a paired difference between a model and the reference model. */
export const Difference = Type.Object({
  ...named,
  reference: Type.String({ description: 'Model whose value is subtracted' }),
  referenceEstimator: Type.Optional(
    Type.String({
      description: 'Estimator of the reference’s value, if it may differ from the model’s',
    }),
  ),
  ...number,
});
export type Difference = Memory<Static<typeof Difference>>;

/** A row as tables take it: in memory, with NaN for unknown numbers, or from JSON, with null. */
export type ShownRow = Wire<Static<typeof Row>>;
export type ShownDifference = Wire<Static<typeof Difference>>;
