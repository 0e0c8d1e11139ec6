import type { SourceMark, SourceProgress } from '../panes/source-times.js';

/**
 * Record headers of the internal topics: source of the event, its newest event time, and progress.
 */
const SOURCE = 'unskew-source';
const NEWEST = 'unskew-newest';
const PROGRESS = 'unskew-progress';

/** Headers that state which source an event came from. */
export function sourceHeaders({ source, newest }: SourceMark): Record<string, string> {
  return {
    [SOURCE]: source,
    [NEWEST]: `${newest}`,
  };
}

/** Record without an event, in which an intake reports the progress of its sources. */
export function progressRecord(progress: SourceProgress) {
  return {
    key: null,
    value: JSON.stringify(progress),
    headers: { [PROGRESS]: '1' },
  };
}

type HeaderValue = Uint8Array | string | (Uint8Array | string)[] | undefined;

/**
 * What a record states about its source; undefined if it was not written by an intake or its
 * headers are invalid.
 *
 * @returns the source of its event, or the progress of all sources
 */
export function sourceOfRecord(
  headers: Readonly<Record<string, HeaderValue>> | undefined,
  value: Uint8Array | null,
): SourceMark | SourceProgress | undefined {
  if (headers === undefined) return undefined;
  const source = textOf(headers[SOURCE]);
  if (source !== undefined) {
    const newest = Number(textOf(headers[NEWEST]) ?? Number.NaN);
    return Number.isNaN(newest) ? undefined : { source, newest };
  }
  if (headers[PROGRESS] === undefined || value === null) return undefined;
  return progressOf(new TextDecoder().decode(value));
}

function progressOf(text: string): SourceProgress | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { partitions, newest, emptyAt } = (found ?? {}) as Partial<SourceProgress>;
  const isSound = areNumbers(partitions) && areNumbers(newest) && areNumbers(emptyAt);
  return isSound
    ? {
        partitions,
        newest,
        emptyAt,
      }
    : undefined;
}

function areNumbers(found: unknown): found is Record<string, number> {
  return (
    typeof found === 'object' &&
    found !== null &&
    Object.values(found).every((value) => Number.isFinite(value))
  );
}

function textOf(header: HeaderValue): string | undefined {
  const first = Array.isArray(header) ? header[0] : header;
  return first === undefined || typeof first === 'string' ? first : new TextDecoder().decode(first);
}
