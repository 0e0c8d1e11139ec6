import type { ConfigEntry } from '../../../config.js';
import type { StatedSettings } from '../../../history/marks.js';

/** Where this process listens: workers of one machine differ in it, and no number does by it. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['http.host', 'http.port']);
/** User and password in an address. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/** The configuration of a service as it is kept and shown: secrets, and passwords in addresses, are left out. */
export function statedSettings(
  entries: readonly Pick<ConfigEntry, 'key' | 'path' | 'value'>[],
): StatedSettings {
  const told = entries.filter(
    ({ key, path }) =>
      key.secret !== true && key.commands.includes('serve') && !OF_ONE_PROCESS.has(path),
  );
  return Object.fromEntries(told.map(({ path, value }) => [path, inWords(value)]));
}

function inWords(value: unknown): string | null {
  if (value === undefined) return null;
  const text = Array.isArray(value) && value.every(isPlain) ? value.join(',') : plain(value);
  return text.replaceAll(CREDENTIALS, '//***@');
}

function plain(value: unknown): string {
  return isPlain(value) ? String(value) : JSON.stringify(value);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object';
}
