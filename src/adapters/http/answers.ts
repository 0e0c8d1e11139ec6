import { Problem } from './schema/problem.js';

/** What a route may answer, for its description. */
export function answers<Schema>(schema: Schema, description: string, ...problems: number[]) {
  const documents: Record<number, unknown> = {};
  for (const status of [400, 401, 429, 503, ...problems]) {
    documents[status] = {
      description: WORDS[status],
      content: { 'application/problem+json': { schema: Problem } },
    };
  }
  return { 200: { description, content: { 'application/json': { schema } } }, ...documents };
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is not understood',
  401: 'A bearer token is needed',
  404: 'Not there, or not yet',
  429: 'Too many requests',
  503: 'Not now, or another worker has the numbers',
};
