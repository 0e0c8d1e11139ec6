import { inject } from 'vitest';

/**
 * The address of the schema registry that all tests share, each with subjects of its own. The first
 * to ask starts it.
 */
export async function sharedRegistry(): Promise<string> {
  const response = await fetch(inject('registryPorter'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
