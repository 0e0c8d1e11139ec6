import { Type } from 'typebox';
import { Value } from 'typebox/value';

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
  }),
]);

/** A model that was written by another hand, with a version of its own, is still to fit together. */
export function checkModel(model: unknown, refuse: (what: string) => never): void {
  if (Value.Check(Shape, model)) return;
  const [fault] = Value.Errors(Shape, model);
  refuse(`its model is malformed: ${fault?.instancePath ?? ''} ${fault?.message ?? ''}`.trim());
}
