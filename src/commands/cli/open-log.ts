import pino from 'pino';
import { type Paint, paintFor, type Style } from '../../outputs/text/paint.js';
import type { Logger } from './io.js';

interface LogPlace {
  /** Whether the log goes to a terminal, which gets text; everything else gets JSON. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly write: (text: string) => void;
}

/** Open the log of the process: text on a terminal, otherwise one JSON object per line. */
export function openLog({ isTerminal, hasColor, write }: LogPlace): Logger {
  if (!isTerminal) {
    return pino(
      { name: 'unskew' },
      pino.destination({
        dest: 2,
        sync: true,
      }),
    );
  }
  const paint = paintFor({ hasColor });
  return pino(
    { name: 'unskew' },
    { write: (line: string) => write(`${inWords(JSON.parse(line) as LogRecord, paint)}\n`) },
  );
}

interface LogRecord {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/**
 * Fields that are not listed after a line's text, since every line has them or the text contains
 * them.
 */
const OF_EVERY_LINE: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'pid',
  'hostname',
  'name',
  'state',
]);

/** Sentences made from the fields of some lines; other lines list their fields. */
const SENTENCES: Readonly<Record<string, (fields: Readonly<Record<string, unknown>>) => string>> = {
  'unskew is up': ({ address, brokers }) =>
    `unskew is up: page ${address}/, metrics ${address}/metrics, reading from ${given(brokers)}`,
  'partitions assigned': ({ partitions, evaluates }) => {
    const read = Array.isArray(partitions) ? partitions.length : 0;
    const what = `reads ${read} ${read === 1 ? 'partition' : 'partitions'}`;
    return evaluates === false ? `${what}; another process computes the numbers` : what;
  },
};

function inWords({ level, time, msg = '', ...rest }: LogRecord, paint: Paint): string {
  const fields = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !OF_EVERY_LINE.has(name)),
  );
  const sentence = SENTENCES[msg];
  const beside = Object.entries(fields).map(([name, value]) => `${name} ${given(value)}`);
  const text = sentence?.(fields) ?? (beside.length === 0 ? msg : `${msg} (${beside.join('; ')})`);
  const [style, word] = gravity(level);
  return `${new Date(time).toISOString().slice(11, 19)}Z  ${word === '' ? '' : `${paint(style, word)} `}${onOneLine(text)}`;
}

function gravity(level: number): readonly [style: Style, word: string] {
  if (level >= pino.levels.values['error']!) return ['problem', 'Error:'];
  if (level >= pino.levels.values['warn']!) return ['caution', 'Warning:'];
  return ['note', ''];
}

/** Format a field as text; an error becomes its message, a renamed series its name. */
function given(value: unknown): string {
  if (Array.isArray(value)) return value.map(given).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { message, series } = value as {
    message?: unknown;
    series?: unknown;
  };
  const name = message ?? series;
  return name === undefined ? JSON.stringify(value) : String(name);
}

/** Replace control characters, since names come from events and could steer a terminal. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
