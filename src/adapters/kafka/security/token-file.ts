import { readFile } from 'node:fs/promises';
import { expiryOf, type Token } from './token-cache.js';

/** A file without an end of its own is read again after this long: another process renews it. */
const UNKNOWN_LIFE_MS = 60_000;

/**
 * Reads a token that something else keeps fresh in a file, as Kubernetes does with those of service
 * accounts. It is read again before it ends; within a minute if it does not say when.
 *
 * @throws Error where it cannot be read: the file may be written in the next moment.
 */
export async function tokenOfFile(file: string, now: () => number = Date.now): Promise<Token> {
  const since = now();
  let value: string;
  try {
    value = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`cannot read kafka.sasl.tokenFile ${file}: ${code ?? 'unknown error'}`);
  }
  if (value === '') throw new Error(`kafka.sasl.tokenFile ${file} is empty`);
  return { value, since, until: Math.min(expiryOf(value), since + UNKNOWN_LIFE_MS) };
}
