import { type TSchema, Type } from 'typebox';

/** Schema of an object with one value per model, or per other name that the field describes. */
export const ByName = <T extends TSchema>(value: T) => Type.Record(Type.String(), value);

export const EventTime = (description: string) =>
  Type.Number({ description: `${description}, ms since the epoch, event time` });
