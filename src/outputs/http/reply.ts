import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Problem } from './schema/problem.js';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** An error as RFC 9457 words it; `type` is left out, which means that the title says it all. */
function problem(status: number, detail?: string): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return detail === undefined ? { title, status } : { title, status, detail };
}

export function sendProblem(reply: FastifyReply, status: number, detail?: string): FastifyReply {
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem(status, detail)));
}

/** As JSON.stringify writes it, so that NaN becomes null and no field is lost. */
export function sendJson(reply: FastifyReply, body: string | object): FastifyReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return reply.type('application/json; charset=utf-8').send(text);
}

const ELSEWHERE = 'the worker that has partition 0 gives the numbers of all';

export function sendElsewhere(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 503, ELSEWHERE);
}

const NOTHING_YET = 'no pane has closed yet; numbers come with the first one';

export function sendNothingYet(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 404, NOTHING_YET);
}
