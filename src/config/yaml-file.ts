import { closeSync, openSync, readSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { UnskewError } from '../errors.js';

/**
 * Maximum size of a configuration file, bytes; ten times that of all keys with their descriptions.
 */
const MAX_BYTES = 256 * 1024;
/** Maximum number of reported YAML errors; later ones are mostly consequences of earlier ones. */
const MAX_FAULTS = 10;

/**
 * Maximum nesting of a file: the number of brackets that are open at once, and the number of
 * entries (`- `, `? `, `: `) that begin directly after each other on one line.
 */
const MAX_DEPTH = 64;
const BEGUN_ENTRIES = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`);
const BOMB = 'its aliases expand to too many values; write the values out instead';

export interface YamlFile {
  /** Parsed content; undefined or null for an empty file. */
  readonly tree: unknown;
  /** Find the location, as `file:line`, of the value at a path of names. */
  originOf(names: readonly string[]): string;
}

/** Read a YAML file. Throws USAGE if it does not exist, is not YAML, or is too large. */
export function readYaml(file: string): YamlFile {
  const text = readText(file);
  // Checked first, since the parser is recursive and deep nesting could overflow the stack.
  if (isDeep(text)) throw refusal(file, 'its values are nested too deeply');
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

/**
 * Run the YAML parser, and report its errors as errors of the file, e.g. aliases that expand too
 * far.
 */
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
 * Whether a file is nested too deeply for the parser. Brackets in text and comments count too; no
 * real file leaves so many of them open.
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
 * Read a file or pipe, and reject it above the size limit. A pipe does not say its size, so one
 * byte more than the limit is read.
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
  throw refusal(
    file,
    `the file is larger than ${MAX_BYTES / 1024} KiB, the limit for a configuration`,
  );
}

function refusal(file: string, why: string, cause?: unknown): UnskewError {
  return new UnskewError('USAGE', `configuration ${file}: ${why}`, { cause });
}
