import { inject } from 'vitest';

/** Returns the address of a service that all tests share. The first test to ask starts it. */
export async function addressOf(
  service: 'kafka' | 'redis' | 'registry' | 'browser',
): Promise<string> {
  const response = await fetch(`${inject('porter')}/${service}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
