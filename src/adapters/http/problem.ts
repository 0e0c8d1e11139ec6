import { STATUS_CODES } from 'node:http';
import type { Problem } from './schema/problem.js';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** An error as RFC 9457 words it; `type` is left out, which means that the title says it all. */
export function problem(status: number, detail?: string): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return detail === undefined ? { title, status } : { title, status, detail };
}
