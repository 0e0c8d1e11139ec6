import type { Decoded } from '../key.js';
import { text } from '../kinds.js';

/** What models are compared with. */
export const COMPARISONS = {
  control: text({
    description:
      'Model that the others are compared with. Without it: the first by name; for values by requests, the first arm by name.',
    commands: ['serve', 'replay', 'evaluate'],
    flag: '--control',
    argument: '<model>',
    expected: 'the name of a model',
  }),
} as const;

interface Given {
  readonly comparisons: Decoded<typeof COMPARISONS>;
  readonly estimates: { readonly reference?: string | undefined };
}

/** The control, by whichever of its two names it is given. */
export function comparisonsOf({ comparisons, estimates }: Given): Given['comparisons'] {
  const control = comparisons.control ?? estimates.reference;
  return control === undefined ? {} : { control };
}

/** Of two names for one setting, nobody could say which holds. */
export function checkComparisons(
  { comparisons: { control }, estimates: { reference } }: Given,
  fault: (path: string, message: string) => void,
  warn: (path: string, message: string) => void,
): void {
  if (reference === undefined) return;
  const old = 'is the old name of comparisons.control';
  if (control === undefined) warn('estimates.reference', `${old}; give that one`);
  else if (control !== reference) {
    fault('estimates.reference', `${old}: expected '${control}', found '${reference}'`);
  }
}
