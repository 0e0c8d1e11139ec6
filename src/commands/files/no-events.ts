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

/** Build the one-line error for event files without a valid event. */
export function noEvents(
  paths: readonly string[],
  { faulty, ignored, first }: Unread,
  isMapped = true,
): UnskewError {
  const parts = [
    `no valid events in ${named(paths)}`,
    ...(ignored > 0 ? [`the mapping ignores the kinds of ${ignored}`] : []),
    ...(faulty > 0 ? [`${faulty} invalid, the first: ${first}`] : []),
    ...(faulty > 0 && !isMapped && !paths.includes('-') ? [mappingAdvice(paths)] : []),
  ];
  return new UnskewError('EVENTS', parts.join('; '));
}

/** Build the error for event files whose event ids have all occurred before. */
export function onlyRepetitions(paths: readonly string[], train: readonly string[]): UnskewError {
  const known = train.length === 0 ? 'occurred before' : `are those of ${named(train)}`;
  return new UnskewError(
    'EVENTS',
    `no event to evaluate in ${named(paths)}: all event ids ${known}`,
  );
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

/** Names of all models in a table of ids. */
export function namesOf(models: Interner): string[] {
  return Array.from({ length: models.size }, (_, id) => models.text(id));
}

/**
 * Check that `comparisons.control` is a model with lists, or the built-in baseline.
 *
 * @throws UnskewError USAGE if it is not
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
