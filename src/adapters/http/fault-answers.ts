import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './reply.js';
import type { RouteMethods } from './route-methods.js';

export interface FaultLog {
  error(fields: object, message: string): void;
}

/** Nothing is there, or nothing by that method. */
export function answerNowhere(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  methods: RouteMethods,
): FastifyReply {
  const [path] = url.split('?', 1);
  const allowed = methods.at(path!);
  if (allowed.length === 0 || allowed.includes(method)) {
    return sendProblem(reply, 404, `nothing is at ${method} ${path}`);
  }
  reply.header('allow', allowed.join(', '));
  return sendProblem(reply, 405, `${path} takes ${allowed.join(' and ')}`);
}

/** The client learns what it did wrong; what went wrong here is only logged. */
export function answerError(log: FaultLog, error: FastifyError, reply: FastifyReply): void {
  const status = error.statusCode ?? 500;
  if (status < 500) {
    const values: unknown = error.validation?.[0]?.params['allowedValues'];
    const allowed = Array.isArray(values) ? `: ${values.join(', ')}` : '';
    sendProblem(reply, status, error.message + allowed);
    return;
  }
  log.error({ err: error }, 'a request failed');
  sendProblem(reply, 500);
}
