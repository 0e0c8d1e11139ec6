import { type TSchema, Type } from 'typebox';

/** Values by name of a model, or of another kind that the field describes. */
export const ByName = <T extends TSchema>(value: T) => Type.Record(Type.String(), value);

export const EventTime = (description: string) =>
  Type.Number({ description: `${description}, ms since the epoch, event time` });
