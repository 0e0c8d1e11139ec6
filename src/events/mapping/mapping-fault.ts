import { UnskewError } from '../../errors.js';
import { describeFound } from '../found.js';

/** @throws UnskewError if `value` is not an object */
export function requireObject(value: unknown, at: string, expected = 'an object'): void {
  if (typeof value !== 'object' || value === null) throw fault(at, `expected ${expected}`, value);
}

/** @throws UnskewError if `value` is not an object or has a key that is not known */
export function requireKeys(value: object, known: readonly string[], at: string): void {
  requireObject(value, at);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw fault(`${at}.${key}`, `unknown; known here: ${known.join(', ')}`);
    }
  }
}

/** An error of configuration, with the path of what is wrong. */
export function fault(at: string, text: string, found?: unknown): UnskewError {
  const suffix = found === undefined ? '' : `, found ${describeFound(found)}`;
  return new UnskewError('USAGE', `${at}: ${text}${suffix}`);
}
