import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifySchemaCompiler } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Wire } from '../../rows/row.js';

/**
 * Validate JSON request bodies without type coercion: a number given as text is rejected, unlike in
 * a query string.
 */
export const strictly: FastifySchemaCompiler<TSchema> =
  ({ schema }) =>
  (body: unknown) => {
    const [fault] = Value.Errors(schema, body);
    if (fault === undefined) return true;
    return { error: new Error(`body${fault.instancePath} ${fault.message}`) };
  };

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/**
 * Build the body of an error response by RFC 9457. It has no `type`, so the title is the full
 * meaning of the error.
 */
function problem(status: number, detail?: string): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return detail === undefined
    ? { title, status }
    : {
        title,
        status,
        detail,
      };
}

export function sendProblem(reply: FastifyReply, status: number, detail?: string): FastifyReply {
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem(status, detail)));
}

/**
 * Send JSON as `JSON.stringify` writes it: NaN becomes null, and fields outside the schema stay.
 */
export function sendJson(reply: FastifyReply, body: string | object): FastifyReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return reply.type('application/json; charset=utf-8').send(text);
}

const ELSEWHERE =
  'this process does not compute numbers: send the request to a process with serve --role tick';

export function sendElsewhere(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 503, ELSEWHERE);
}

const NOTHING_YET = 'no pane has closed yet; numbers appear with the first one';

export function sendNothingYet(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 404, NOTHING_YET);
}

/**
 * Describe the responses of a route for the API description. Responses that the guard gives on all
 * routes are added later.
 */
export function answers<Schema>(schema: Schema, description: string, ...problems: number[]) {
  const ok = {
    description,
    content: { 'application/json': { schema } },
  };
  return {
    200: ok,
    ...problemAnswers(400, 503, ...problems),
  };
}

/** Describe error responses by RFC 9457 for the API description, by status. */
export function problemAnswers(...statuses: number[]): Record<number, unknown> {
  const content = { 'application/problem+json': { schema: Problem } };
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: WORDS[status],
        content,
      },
    ]),
  );
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'A bearer token is needed',
  403: 'The request comes from a page of another site',
  404: 'It does not exist, or is not available yet',
  409: 'Another run is in progress',
  413: 'The body is too long',
  415: 'The body is not JSON',
  421: 'The Host header does not name this service; see http.hosts',
  429: 'Too many requests or streams',
  503: 'Not available now, or another process computes the numbers',
};

/**
 * Schema of an error response by RFC 9457. It has no `type`, so the title is the full meaning of
 * the error.
 */
export const Problem = Type.Object({
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
});
export type Problem = Wire<Static<typeof Problem>>;
