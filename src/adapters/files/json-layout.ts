import type { FileChunks } from './file-chunks.js';

const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Number of bytes at the start of a file that are examined for the layout of its JSON. */
const MOST_LOOKED_AT = 65_536;

/**
 * Whether a file contains JSON that is not one object per line: a list, objects over several lines,
 * or several objects on one line.
 */
export function isNoLineEach(start: Uint8Array): boolean {
  const text = Buffer.from(start.subarray(0, MOST_LOOKED_AT)).toString('latin1');
  const [first = ''] = text.trimStart().split('\n', 1);
  const line = first.trim();
  if (line === '{' || line === '[' || /^\[\s*[{\]]/.test(line)) return true;
  return line.startsWith('{') && hasSecondObject(line);
}

function hasSecondObject(line: string): boolean {
  const values = new JsonValues();
  const bytes = Buffer.from(`${line}\n`, 'latin1');
  const out = Buffer.from(values.toLines(bytes)).toString('latin1');
  return /^\{[^\n]*\}\n\s*,?\s*\{/.test(out);
}

/** Rewrites a stream of JSON values, chunk by chunk, so that each event is on its own line. */
export class JsonValues {
  #depth = 0;
  /** Nesting depth of the event objects: 1 inside a list, otherwise 0. */
  #base = 0;
  #hasBegun = false;
  #isInText = false;
  #isEscaped = false;

  toLines(chunk: Uint8Array): Uint8Array {
    const out = new Uint8Array(2 * chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const isOfEvent = this.#depth > this.#base;
      if (this.#isInText) {
        this.#text(byte);
        out[length++] = byte;
        continue;
      }
      const isOpened = byte === OPEN_OBJECT || byte === OPEN_LIST;
      if (!this.#hasBegun && isOpened) {
        this.#hasBegun = true;
        if (byte === OPEN_LIST) {
          this.#base = 1;
          this.#depth = 1;
          continue;
        }
      }
      if (isOpened) {
        this.#depth++;
      }
      const isClosed = byte === CLOSE_OBJECT || byte === CLOSE_LIST;
      if (isClosed) {
        this.#depth--;
      }
      if (byte === QUOTE) {
        this.#isInText = true;
      }
      // Drop commas and space between events, and the brackets of the list around them.
      if (!isOfEvent && (byte === COMMA || isClosed || byte <= SPACE)) continue;
      out[length++] = byte === LF || byte === CR ? SPACE : byte;
      if (isOfEvent && isClosed && this.#depth === this.#base) {
        out[length++] = LF;
      }
    }
    return out.subarray(0, length);
  }

  #text(byte: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      this.#isInText = false;
    }
  }
}

/**
 * Convert JSON that is not one object per line to such lines. Chunks of any other file pass
 * unchanged.
 */
export function asLines(chunks: FileChunks): FileChunks {
  let values: JsonValues | undefined;
  let isFirst = true;
  return {
    totalBytes: chunks.totalBytes,
    bytesRead: () => chunks.bytesRead(),
    async next() {
      const next = await chunks.next();
      const chunk = isFirst && next !== undefined ? withoutMark(next) : next;
      if (chunk !== undefined && isFirst && isNoLineEach(chunk)) {
        values = new JsonValues();
      }
      isFirst = false;
      return chunk === undefined || values === undefined ? chunk : values.toLines(chunk);
    },
    close: () => chunks.close(),
  };
}

/** Remove a byte order mark. */
function withoutMark(chunk: Uint8Array): Uint8Array {
  const isMarked = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
  return isMarked ? chunk.subarray(3) : chunk;
}
