import { InvalidArgumentError, Option } from 'commander';
import { isoTimestampMs } from '../../events/timestamp.js';

/** Make a parser of a flag's value that must be a whole number within bounds. */

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${minimum} to ${maximum}.`);
  };
}

export function realNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Expected a number from ${minimum} to ${maximum}.`);
  };
}

/**
 * Parse an event time: ms since the epoch, or ISO 8601 with a zone. A date alone means its start in
 * UTC.
 */
export function eventTime(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const bytes = new TextEncoder().encode(isDay ? `${text}T00:00:00Z` : text);
  const ms = isoTimestampMs(bytes, 0, bytes.length);
  if (Number.isInteger(ms)) return ms;
  throw new InvalidArgumentError(
    'Expected milliseconds since the epoch, or an ISO 8601 time with a time zone.',
  );
}

/** Make a parser of names from a closed set, separated by commas. */
export function namesOf<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim());
    const wrong = names.filter((name) => !known.includes(name as Name));
    if (wrong.length === 0) return names as Name[];
    throw new InvalidArgumentError(`Expected some of ${known.join(', ')}.`);
  };
}

/** Parse `path=value`, and collect it over several flags. */
export function setting(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected path=value, such as time.tick=10s.');
  return {
    ...before,
    [text.slice(0, at)]: text.slice(at + 1),
  };
}

/** Flag `--max-faults`, which ends a run if too many events are invalid. */
export function maxFaultsOption(): Option {
  const ends = 'exit with code 3 if there are more invalid events than this';
  return new Option('--max-faults <number>', ends)
    .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .default(Number.POSITIVE_INFINITY, 'any number');
}
