import type { SourceMark, SourceProgress } from '../panes/source-times.js';

/** Headers of the records of internal topics. */
const SOURCE = 'unskew-source';
const NEWEST = 'unskew-newest';
const PROGRESS = 'unskew-progress';

/** Headers by which a record says where its event came from. */
export function sourceHeaders({ source, newest }: SourceMark): Record<string, string> {
  return {
    [SOURCE]: source,
    [NEWEST]: `${newest}`,
  };
}

/** Source of a record, as stated by the record; undefined if an intake did not write it. */
export function progressRecord(progress: SourceProgress) {
  return {
    key: null,
    value: JSON.stringify(progress),
    headers: { [PROGRESS]: '1' },
  };
}

type HeaderValue = Uint8Array | string | (Uint8Array | string)[] | undefined;

/**
 * What a record of a log says of its source; undefined for one that was not brought there, and for
 * what nobody who brings records writes.
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
