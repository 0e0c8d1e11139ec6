import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../../adapters/files/package-folder.js';

/**
 * Convert the stack trace of an error from lines of the bundle to lines of the source. Source maps
 * are read only when needed; Node's `--enable-source-maps` reads all of them at each start.
 *
 * @param error any error; without a stack trace, its message is used
 * @returns converted trace; lines of files without a map, such as Node's own, stay as they are
 * @example sourceTrace(new Error('gone')).startsWith('Error: gone'); // true
 */
export function sourceTrace(error: Error): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (file: string): SourceMap | null => {
    const known = maps.get(file);
    if (known !== undefined) return known;
    const map = readMap(file);
    maps.set(file, map);
    return map;
  };
  return (error.stack ?? error.message).replace(
    /file:\/\/[^\s)]+?:(\d+):(\d+)/g,
    (place: string, line: string, column: string) => {
      const file = fileURLToPath(place.slice(0, -`:${line}:${column}`.length));
      const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !('originalSource' in entry)) return place;
      const source = relative(packageFolder(), resolve(dirname(file), entry.originalSource));
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    },
  );
}

function readMap(file: string): SourceMap | null {
  if (!existsSync(`${file}.map`)) return null;
  return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
}
