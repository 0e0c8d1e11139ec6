import type { AssemblyMark } from '../../stream/intake/assembler.js';

/** What a broker keeps beside an offset, by default: 4,096 bytes. */
const MAX_BYTES = 4000;
const VERSION = 1;

/**
 * An assembler's mark as text beside the offset that is committed. Where there are so many sources
 * that it does not fit, it leaves out what exactness under rare conditions needs: a process that begins there
 * may write, for a user who never pauses, or of a source that was idle, one list in two pieces.
 *
 * @example
 * const times = { partitions: { v: 2 }, newest: { 'v/1': 1500 }, emptyAt: {} };
 * const mark = { from: 7, unwritten: 9, next: 12, times, cuts: [] };
 * readMark(writeMark(mark), 7); // { from: 7, unwritten: 9, next: 12, times: { … }, cuts: [] }
 */
export function writeMark({ unwritten, next, times, cuts }: AssemblyMark): string {
  const { partitions } = times;
  const newest = sourcesOf(partitions).map((source) => inBase36(times.newest[source]));
  const emptyAt = sourcesOf(partitions).map((source) => inBase36(times.emptyAt[source]));
  const written = cuts.map(([key, { before, lastOffset }]) => [key, before, lastOffset]);
  const base = [VERSION, unwritten, next];
  const candidates = [
    [...base, partitions, newest.join(), emptyAt.join(), written],
    [...base, partitions, newest.join(), emptyAt.join(), []],
    [...base, {}, '', '', []],
  ];
  const texts = candidates.map((candidate) => JSON.stringify(candidate));
  return texts.find((text) => Buffer.byteLength(text) <= MAX_BYTES) ?? '';
}

/** @returns undefined for what `writeMark` has not written */
export function readMark(text: string, from: number): AssemblyMark | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(found) || found[0] !== VERSION || found.length !== 7) return undefined;
  const [, unwritten, next, partitions, newest, emptyAt, cuts] = found as [
    ...[number, number, number, Record<string, number>, string, string],
    [string, number, number][],
  ];
  const times = {
    partitions,
    newest: fromBase36(partitions, newest),
    emptyAt: fromBase36(partitions, emptyAt),
  };
  return {
    ...{ from, unwritten, next, times },
    cuts: cuts.map(([key, before, lastOffset]) => [key, { before, lastOffset }]),
  };
}

function sourcesOf(partitions: Readonly<Record<string, number>>): string[] {
  return Object.entries(partitions).flatMap(([topic, count]) =>
    Array.from({ length: count }, (_, partition) => `${topic}/${partition}`),
  );
}

function inBase36(ms: number | undefined): string {
  return ms === undefined ? '' : Math.floor(ms).toString(36);
}

function fromBase36(
  partitions: Readonly<Record<string, number>>,
  text: string,
): Record<string, number> {
  const values = text.split(',');
  const pairs = sourcesOf(partitions).map((source, n) => [source, values[n] ?? ''] as const);
  const known = pairs.filter(([, value]) => value !== '');
  return Object.fromEntries(known.map(([source, value]) => [source, Number.parseInt(value, 36)]));
}
