import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** JSON has types of its own: a text is not a number, as it is in an address. */
export const strictly: FastifySchemaCompiler<TSchema> =
  ({ schema }) =>
  (body: unknown) => {
    const [fault] = Value.Errors(schema, body);
    if (fault === undefined) return true;
    return { error: new Error(`body${fault.instancePath} ${fault.message}`) };
  };
