import type { FakeSchema } from './fake-registry.js';

/** Registers a schema by Confluent's API. @returns its id */
export async function registerSchema(
  url: string,
  subject: string,
  schema: FakeSchema,
): Promise<number> {
  const answer = await fetch(`${url}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(schema),
  });
  const { id } = (await answer.json()) as { id?: number };
  if (id === undefined) throw new Error(`${subject} was not registered: ${answer.status}`);
  return id;
}
