import { readFileSync } from 'node:fs';

/** The package's version, from the file that says it to npm too. */
export function packageVersion(): string {
  // Two folders up from src/commands and from dist/commands alike.
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
