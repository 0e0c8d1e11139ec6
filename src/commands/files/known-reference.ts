import { didYouMean } from '../../config/spelling.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { BASELINE_MODEL } from '../../estimators/lanes/derived-parts.js';
import type { Interner } from '../../state/ids/interner.js';

/** Names of all models that have lists. */
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
    `comparisons.control: no list is of model '${reference}'${hint}; ${there}`,
  );
}
