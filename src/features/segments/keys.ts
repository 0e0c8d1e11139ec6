import { key, someOf, whole } from '../../config/kinds.js';
import { Type } from '../../config/schema.js';
import { BUILT_IN_DIMENSIONS } from '../../estimators/segments/built-in-axes.js';
import { MOST_DIMENSIONS, SEGMENT_SOURCES, type SegmentSource } from '../../events/dimensions.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;
const NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** Configuration of the dimensions that estimates are divided by. */
export const SEGMENTS = {
  dimensions: key(
    {
      description:
        'Segment dimensions by name, and where an interaction gets its value from: the `interaction` itself, the `exposure` (latest list of its user) or the `user` (latest event of its user). Events carry values in `segments`.',
      commands: COMMANDS,
      state: {
        effect: 'kept',
        how: 'Applies to new events.',
      },
      flag: '--segments',
      default: {},
    },
    {
      schema: Type.Record(Type.Enum([...SEGMENT_SOURCES])),
      expected: `an object with one of ${SEGMENT_SOURCES.join(', ')} for each dimension`,
      unit: null,
      range: `at most ${MOST_DIMENSIONS} dimensions; names of lower-case letters, digits and _`,
      suffix: '',
      argument: '<JSON>',
      examples: [
        {
          country: 'user',
          device: 'interaction',
        },
      ],
      decode: checkedDimensions,
    },
  ),
  builtIn: someOf(BUILT_IN_DIMENSIONS, {
    description: 'Built-in dimensions. `item_popularity`: popular, mid-tail and long-tail items.',
    commands: COMMANDS,
    flag: '--segments-built-in',
    default: ['item_popularity'],
  }),
  values: whole({
    description:
      'Largest number of values shown per dimension: those with the most interactions in the window. The rest become `other`.',
    commands: COMMANDS,
    unit: 'values',
    from: 1,
    to: 1000,
    default: 50,
  }),
  minUsers: whole({
    description:
      'Effective users below which a segment is hidden, because so few users are not conclusive and might be identified.',
    commands: COMMANDS,
    unit: 'users',
    from: 2,
    to: 1_000_000,
    default: 30,
  }),
} as const;

function checkedDimensions(written: unknown): Readonly<Record<string, SegmentSource>> {
  const dimensions = written as Readonly<Record<string, SegmentSource>>;
  const names = Object.keys(dimensions);
  const builtIn = BUILT_IN_DIMENSIONS.find((name) => names.includes(name));
  if (builtIn !== undefined)
    throw new RangeError(`'${builtIn}' is the name of a built-in dimension`);
  if (names.length > MOST_DIMENSIONS) {
    throw new RangeError(`expected at most ${MOST_DIMENSIONS} dimensions`);
  }
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new RangeError(
      `'${wrong}' is not a valid name: expected at most 32 lower-case letters, digits and _`,
    );
  }
  return dimensions;
}
