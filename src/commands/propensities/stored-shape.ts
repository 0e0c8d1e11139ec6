import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Side = Type.Object({
  ids: Type.Array(Type.String()),
  names: Type.Array(Type.String()),
  features: Type.Array(Type.Array(Type.Number())),
  offsets: Type.Union([Type.Null(), Type.Array(Type.Number())]),
});

const Shape = Type.Union([
  Type.Object({
    kind: Type.Literal('nb'),
    smoothing: Type.Number(),
    values: Type.Array(
      Type.Object({
        rating: Type.Number(),
        chosen: Type.Number(),
        random: Type.Number(),
        propensity: Type.Number({ minimum: 0, maximum: 1 }),
      }),
    ),
  }),
  Type.Object({
    kind: Type.Literal('lr'),
    intercept: Type.Number(),
    weights: Type.Array(Type.Array(Type.Number())),
    users: Side,
    items: Side,
    itemSums: Type.Optional(Type.Array(Type.Number({ minimum: 0 }))),
  }),
]);

const Comparison = Type.Object({
  with: Type.Union([Type.Literal('nb'), Type.Literal('lr')]),
  largestRatio: Type.Number(),
  means: Type.Tuple([Type.Number(), Type.Number()]),
  margin: Type.Number(),
  doDisagree: Type.Boolean(),
});

/** Compiled, as there may be millions of numbers and a service waits meanwhile. */
const Content = Compile(
  Type.Object({
    kind: Type.Union([Type.Literal('nb'), Type.Literal('lr')]),
    date: Type.String(),
    figures: Type.Object({ comparison: Type.Union([Type.Null(), Comparison]) }),
    model: Shape,
  }),
);

type Model = Static<typeof Shape>;
type Logistic = Extract<Model, { kind: 'lr' }>;

/** What was written by another hand, with a version of its own, is still to fit together. */
export function checkContent(content: unknown, refuse: (what: string) => never): void {
  if (!Content.Check(content)) {
    const [fault] = Content.Errors(content);
    const where = `${fault?.instancePath ?? ''} ${fault?.message ?? ''}`.trim();
    refuse(`its content is malformed: ${where}`);
  }
  const { kind, date, model } = content;
  if (Number.isNaN(Date.parse(date))) refuse(`its date is no date: ${date}`);
  if (kind !== model.kind) refuse(`it says kind ${kind} and has a model of kind ${model.kind}`);
  const misfit = model.kind === 'nb' ? withoutChance(model.values) : misfitOf(model);
  if (misfit !== undefined) refuse(`its model is malformed: ${misfit}`);
}

function withoutChance(values: Extract<Model, { kind: 'nb' }>['values']): string | undefined {
  const found = values.find(({ chosen, propensity }) => chosen > 0 && propensity === 0);
  return found && `ratings of ${found.rating} were chosen, and have a propensity of 0`;
}

/** Rows and columns that do not belong together. */
function misfitOf({ weights, users, items, itemSums }: Logistic): string | undefined {
  const columns = weights[0]?.length ?? 0;
  if (weights.some((row) => row.length !== columns)) return 'weights have rows of several lengths';
  if (itemSums !== undefined && itemSums.length !== items.ids.length) {
    return `${items.ids.length} items have ${itemSums.length} sums`;
  }
  const sides = [
    ['users', users, weights.length],
    ['items', items, columns],
  ] as const;
  for (const [name, { ids, features, offsets }, width] of sides) {
    // Without weights features count for nothing.
    const isWide = weights.length > 0 && features.some((row) => row.length !== width);
    if (features.length !== ids.length || isWide) return `features of ${name} do not fit`;
    if (offsets !== null && offsets.length !== ids.length) return `offsets of ${name} do not fit`;
  }
  return undefined;
}
