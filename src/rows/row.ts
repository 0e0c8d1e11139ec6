import { type Static, Type } from 'typebox';

declare const unknownAsNull: unique symbol;

/** A number that may be unknown: NaN in memory, null on the wire. */
export interface MaybeUnknown {
  readonly [unknownAsNull]: true;
}

/**
 * The schema of a number that may be unknown. JSON has no NaN, so null stands for it there.
 *
 * @param description what the number is; it is shown in the description of the API.
 */
export const Num = (description?: string) =>
  Type.Unsafe<MaybeUnknown>({
    anyOf: [{ type: 'number' }, { type: 'null' }],
    ...(description === undefined ? {} : { description: `${description}; null: unknown` }),
  });

/** A shape as it is in memory: what is unknown is NaN, and nothing is changed. */
export type Memory<T> = T extends MaybeUnknown
  ? number
  : T extends (infer Item)[]
    ? readonly Memory<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Memory<T[Key]> }
      : T;

/** The same shape as it was sent: what is unknown is null. */
export type Wire<T> = T extends MaybeUnknown
  ? number | null
  : T extends (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;

/**
 * What a row says of its number: `given` as it is; `bound` from one side, and no estimate;
 * `withheld` although it could be computed; `refused` because it cannot be.
 */
export const STATUSES = ['given', 'bound', 'withheld', 'refused'] as const;

/**
 * What a reason does: there is no number, or it is not given; it is a bound, and no estimate; it
 * decides nothing, and no alert may rest on it; it has to be read with care.
 */
export const CONSEQUENCES = ['refused', 'withheld', 'bound', 'undecided', 'caution'] as const;
export type Consequence = (typeof CONSEQUENCES)[number];

/** Why a number is not given, or how it has to be read. */
export const Reason = Type.Object({
  code: Type.String({ description: 'Code from a closed list; the findings explain it' }),
  consequence: Type.Enum([...CONSEQUENCES]),
  figures: Type.Record(Type.String(), Num()),
});

/** What a number may be a mean over. */
export const FORMS = ['pooled', 'user', 'request', 'list'] as const;

const named = {
  family: Type.String({
    description: 'estimates, uncaused, on_policy, values, ratings or segments',
  }),
  model: Type.String(),
  metric: Type.String(),
  k: Type.Union([Type.Number(), Type.Null()], { description: 'Cut-off; null: none' }),
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
  lower: Num('95 % interval'),
  upper: Num('95 % interval'),
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
        description: 'Further bounds, each with its own guarantee',
      },
    ),
  ),
};

/**
 * One number with its interval, or the reason why there is none: the only description of it. Types,
 * the schema of answers, columns of tables and labels of gauges follow from it.
 */
export const Row = Type.Object({
  ...named,
  ...number,
});
export type Row = Memory<Static<typeof Row>> & {
  /** What the value is the ratio of: it is shown as metrics, and is not sent. */
  readonly sums?: {
    readonly numerator: number;
    readonly denominator: number;
  };
};
export type Reason = Memory<Static<typeof Reason>>;

/** How much more a model has than the reference model, paired. */
export const Difference = Type.Object({
  ...named,
  reference: Type.String({ description: 'Model whose value is subtracted' }),
  referenceEstimator: Type.Optional(
    Type.String({ description: 'Estimator of that value, if it may differ' }),
  ),
  ...number,
});
export type Difference = Memory<Static<typeof Difference>>;

/** A row as it is in memory or as it was sent: what tables are built from takes either. */
export type ShownRow = Wire<Static<typeof Row>>;
export type ShownDifference = Wire<Static<typeof Difference>>;
