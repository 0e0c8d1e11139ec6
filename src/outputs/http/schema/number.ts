import { type TSchema, Type } from 'typebox';

/** A number that may be unknown: JSON has no NaN. */
export const MaybeNumber = (description?: string) =>
  Type.Union(
    [Type.Number(), Type.Null()],
    description === undefined ? {} : { description: `${description}; null: unknown` },
  );

/** Values by name: of models, or of whatever the field says. */
export const ByName = <T extends TSchema>(value: T) => Type.Record(Type.String(), value);

export const EventTime = (description: string) =>
  Type.Number({ description: `${description}, ms since the epoch, event time` });
