import { closeSync, openSync, readSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { UnskewError } from '../errors.js';

/** Largest configuration file; ten times all keys with their descriptions. */
const MAX_BYTES = 256 * 1024;
/** Most reported errors; later ones mostly follow from earlier ones. */
const MAX_FAULTS = 10;

/** Nesting limit: number of open brackets, or of entries begun on one line. */
const MAX_DEPTH = 64;
const BEGUN_ENTRIES = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`);
const BOMB = 'its aliases expand to more than a configuration needs; write the values out';

export interface YamlFile {
  /** Content; undefined or null for an empty file. */
  readonly tree: unknown;
  /** Location, as `file:line`, of the value under these names. */
  originOf(names: readonly string[]): string;
}

/** Read a YAML file. Throws USAGE if it does not exist, is not YAML, or is too large. */
export function readYaml(file: string): YamlFile {
  const text = readText(file);
  // The parser is recursive, and a stack overflow may end the process.
  if (isDeep(text)) throw refusal(file, 'it is nested too deeply');
  const lines = new LineCounter();
  const document = parsing(file, () =>
    parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
    }),
  );
  if (document.errors.length > 0) {
    const faults = document.errors.slice(0, MAX_FAULTS).map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return `${file}:${line}:${col}: ${error.message}`;
    });
    const more = document.errors.length - faults.length;
    if (more > 0) {
      faults.push(`${file}: and ${more} more`);
    }
    throw new UnskewError('USAGE', faults.join('\n'));
  }
  const tree: unknown = parsing(file, () => document.toJS());
  return {
    tree,
    originOf: (names) => {
      const node = document.getIn(names, true) as { range?: [number, number, number] } | undefined;
      return node?.range ? `${file}:${lines.linePos(node.range[0]).line}` : file;
    },
  };
}

/** Run the parser. All its errors are about the file, such as aliases of aliases. */
function parsing<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const { message } = error as Error;
    if (/excessive alias count/i.test(message)) throw refusal(file, BOMB, error);
    throw refusal(file, message.split('\n', 1)[0]!, error);
  }
}

/**
 * Whether a file is nested too deeply. Brackets in text and comments count too, since no real file
 * has so many unclosed ones.
 */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return BEGUN_ENTRIES.test(text);
}

/**
 * Read a file or pipe up to the size limit. A pipe has no size, so one extra byte shows that it is
 * too large.
 */
function readText(file: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  try {
    const handle = openSync(file, 'r');
    try {
      for (let read = -1; read !== 0 && length <= MAX_BYTES; length += read) {
        read = readSync(handle, bytes, length, bytes.length - length, null);
      }
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refusal(file, code === 'ENOENT' ? 'no such file' : message, error);
  }
  if (length <= MAX_BYTES) return bytes.toString('utf8', 0, length);
  throw refusal(file, `more than ${MAX_BYTES / 1024} KiB, which no configuration needs`);
}

function refusal(file: string, why: string, cause?: unknown): UnskewError {
  return new UnskewError('USAGE', `configuration ${file}: ${why}`, { cause });
}
