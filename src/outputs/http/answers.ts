import { Problem } from './schema/problem.js';

/** What a route may answer, for its description; what stands before all routes adds its own. */
export function answers<Schema>(schema: Schema, description: string, ...problems: number[]) {
  const ok = { description, content: { 'application/json': { schema } } };
  return { 200: ok, ...problemAnswers(400, 503, ...problems) };
}

/** Answers that are problem documents, by status. */
export function problemAnswers(...statuses: number[]): Record<number, unknown> {
  const content = { 'application/problem+json': { schema: Problem } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: WORDS[status], content }]),
  );
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'A bearer token is needed',
  403: 'Asked by a page of another site',
  404: 'Not there, or not yet',
  409: 'Not while another is under way',
  413: 'The body is too long',
  415: 'The body is not JSON',
  421: 'Asked for by a name that is not one of the service',
  429: 'Too many requests, or streams',
  503: 'Not now, or another worker has the numbers',
};
