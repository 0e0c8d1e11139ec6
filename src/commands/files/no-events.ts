import { mappingAdvice } from '../../adapters/files/needs-mapping.js';
import { didYouMean } from '../../config/spelling.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { BASELINE_MODEL } from '../../estimators/lanes/derived-parts.js';
import type { Interner } from '../../state/ids/interner.js';
import type { Outcomes } from '../../stream/outcomes.js';

/** Outcomes of the lines of files without a valid event. */
export interface Unread {
  readonly faulty: number;
  readonly ignored: number;
  /** The first invalid event: file and line, reason, detail. */
  readonly first: string | undefined;
}

/** The error of event files in which there is nothing to evaluate, in one line. */
export function noEvents(
  paths: readonly string[],
  { faulty, ignored, first }: Unread,
  isMapped = true,
): UnskewError {
  const parts = [
    `no valid events in ${named(paths)}`,
    ...(ignored > 0 ? [`${ignored} are of kinds that the mapping ignores`] : []),
    ...(faulty > 0 ? [`${faulty} invalid, the first: ${first}`] : []),
    ...(faulty > 0 && !isMapped && !paths.includes('-') ? [mappingAdvice(paths)] : []),
  ];
  return new UnskewError('EVENTS', parts.join('; '));
}

/** The error for event files whose event ids all occurred in other files. */
export function onlyRepetitions(paths: readonly string[], train: readonly string[]): UnskewError {
  const known = train.length === 0 ? 'came before' : `are those of ${named(train)}`;
  return new UnskewError('EVENTS', `no event to evaluate in ${named(paths)}: all ids ${known}`);
}

/** Whether the configuration maps events. */
export function isMapped({ events: { mapping, files } }: Config): boolean {
  return mapping !== undefined || files !== undefined;
}

export function faultyOf({ faults }: Outcomes): number {
  return faults.reduce((sum, count) => sum + count, 0);
}

function named(paths: readonly string[]): string {
  return paths.map((path) => (path === '-' ? 'standard input' : path)).join(', ');
}

/** List the names of all models with lists. */
export function namesOf(models: Interner): string[] {
  return Array.from({ length: models.size }, (_, id) => models.text(id));
}

/**
 * Models can be compared with one that has lists, or with the built-in one.
 *
 * @throws UnskewError USAGE if `comparisons.control` is another
 */
export function checkReference(
  { comparisons: { control: reference }, baseline }: Config,
  models: readonly string[],
): void {
  const known = baseline === 'none' ? models : [...models, BASELINE_MODEL];
  if (reference === undefined || known.includes(reference)) return;
  const hint = didYouMean(reference, known);
  const there =
    known.length === 0 ? 'there are no lists' : `models are ${[...known].sort().join(', ')}`;
  throw new UnskewError(
    'USAGE',
    `comparisons.control: there are no lists of model '${reference}'${hint}; ${there}`,
  );
}
