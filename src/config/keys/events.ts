import { UnskewError } from '../../errors.js';
import { MOST_WORTHS } from '../../events/action-worths.js';
import { compileMapping, type Mapping } from '../../events/mapping/mapping.js';
import {
  isMappingName,
  MAPPING_NAMES,
  type MappingName,
} from '../../events/mapping/named-mappings.js';
import { COMMANDS } from '../key.js';
import { key, ofCommands, oneOf, size } from '../kinds.js';
import { Type } from '../schema.js';

/** How events are read. */
export const EVENTS = ofCommands(COMMANDS, {
  maxBytes: size({ description: 'Largest event.', flag: '--max-bytes', default: '1MiB' }),
  mapping: key(
    {
      description: `How foreign events are read. The name of a mapping that is ready (${MAPPING_NAMES.map((name) => `\`${name}\``).join(', ')}), or an object that maps fields.`,
      flag: '--mapping',
    },
    {
      schema: Type.Union([Type.Enum(MAPPING_NAMES), Type.Record(Type.Unknown())]),
      expected: 'the name of a mapping that is ready, or an object that maps fields',
      range: 'a name, or an object',
      argument: '<name|JSON>',
      examples: [{ interaction: { id: '/id', ts: '/time', user: '/who', item: '/what' } }],
      decode: checkedMapping,
    },
  ),
  actions: key(
    {
      description:
        'What an action is worth, by name. What is worth 0 is not a positive; the reward of a shown list is the sum of what the best action on each of its items is worth. Without an action an event is a click; an action that is not named is worth 1, and so is a click if it is not named.',
      commands: ['serve', 'replay', 'evaluate', 'export', 'train'],
      state: { effect: 'refused', how: 'What actions were worth is in the rows.' },
      flag: '--actions',
      default: { view: 0, click: 1, purchase: 5 },
    },
    {
      schema: Type.Record(Type.Number({ minimum: 0, maximum: 1e9 })),
      expected: 'an object of numbers from 0 to 1e9 by action',
      unit: 'reward of an interaction',
      range: `numbers from 0 to 1e9, at most ${MOST_WORTHS} different ones`,
      argument: '<JSON>',
      examples: [{ view: 0, click: 1, purchase: 5 }],
      decode: checkedActions,
    },
  ),
});

/** Where refused events go. */
export const DEAD_LETTERS = ofCommands(['serve', 'intake'], {
  to: key(
    {
      description:
        'Where refused events go: to `kafka.topics.deadLetter`, nowhere, or to a file. They are counted in any case.',
      default: 'topic',
    },
    {
      schema: Type.String({ minLength: 1 }),
      expected: 'topic, none, or the path of a file',
      argument: '<topic|none|file>',
      examples: ['topic', 'none', 'refused.ndjson'],
      decode: (written) => {
        if (written === 'file') throw new RangeError('expected the path of the file');
        return written as string;
      },
    },
  ),
  payload: oneOf(['keep', 'withhold'], {
    description:
      'Whether the bytes of a refused event are kept, and what its fault quotes of them. `withhold` keeps reason, size, topic, partition and offset alone.',
    default: 'keep',
  }),
});

/** The mapping's own check stops at its first fault. */
function checkedMapping(written: unknown): MappingName | Mapping {
  if (isMappingName(written)) return written;
  try {
    compileMapping(written as Mapping, 'mapping');
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    throw new RangeError(error.message);
  }
  return written as Mapping;
}

function checkedActions(written: unknown): Readonly<Record<string, number>> {
  const actions = written as Readonly<Record<string, number>>;
  const different = new Set(Object.values(actions)).size;
  if (different > MOST_WORTHS) throw new RangeError(`expected at most ${MOST_WORTHS} worths`);
  return actions;
}
