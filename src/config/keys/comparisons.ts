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
