import { readFileSync } from 'node:fs';
import { UnskewError } from '../../errors.js';
import { MOST_WORTHS } from '../../events/action-worths.js';
import { compileMapping, type Mapping } from '../../events/mapping/mapping.js';
import {
  isMappingName,
  MAPPING_NAMES,
  type MappingName,
} from '../../events/mapping/named-mappings.js';
import type { PseudonymKey } from '../../events/pseudonyms.js';
import { isoTimestampMs } from '../../events/timestamp.js';
import type { Complete, Report } from '../key.js';
import { type Decoded, FILE_READERS, READERS } from '../key.js';
import { key, ofCommands, oneOf, size } from '../kinds.js';
import { Type } from '../schema.js';

const MOST_KEYS = 16;
const SHORTEST_KEY = 32;

/** Keys of `events`: mappings, pseudonyms and rewards. */
export const EVENTS = ofCommands(READERS, {
  maxBytes: size({
    description: 'Size of the largest event that is read; larger events are invalid.',
    flag: '--max-bytes',
    default: '1MiB',
  }),
  mapping: key(
    {
      description: `How to read events of another schema. A built-in mapping (${MAPPING_NAMES.map((name) => `\`${name}\``).join(', ')}), or an object that maps fields.`,
      flag: '--mapping',
    },
    {
      schema: Type.Union([Type.Enum(MAPPING_NAMES), Type.Record(Type.Unknown())]),
      expected: 'the name of a built-in mapping, or an object that maps fields',
      range: 'a name, or an object',
      argument: '<name|JSON>',
      examples: [
        {
          interaction: {
            id: '/id',
            ts: '/time',
            user: '/who',
            item: '/what',
          },
        },
      ],
      decode: checkedMapping,
    },
  ),
  files: key(
    {
      description:
        'Mappings by file name, with the wildcards `*` and `?`. All other files use `events.mapping`.',
      commands: FILE_READERS,
    },
    {
      schema: Type.Record(Type.Unknown()),
      expected: 'an object of mappings by the names of files',
      range: 'mappings, or names of built-in ones',
      argument: '<JSON>',
      examples: [
        {
          'impressions*.parquet': {
            impression: {
              ts: '/time',
              user: '/user',
              item: '/item',
              model: '/variant',
            },
          },
          'clicks*.parquet': {
            interaction: {
              ts: '/time',
              user: '/user',
              item: '/item',
            },
          },
        },
      ],
      decode: checkedFiles,
    },
  ),
  pseudonyms: key(
    {
      description:
        'Keys that turn user ids into pseudonyms, oldest first. Each has `key` or `file`; all but the first also have `from`, the event time from which the key is used. Never printed.',
      commands: ['serve', 'intake', 'replay', 'evaluate', 'export', 'propensities', 'train'],
      secret: true,
      state: {
        effect: 'converted',
        how: 'Users in the state get pseudonyms by the first key.',
      },
    },
    {
      schema: Type.Array(Type.Record(Type.Unknown()), {
        minItems: 1,
        maxItems: MOST_KEYS,
      }),
      expected: 'a list of objects with key or file, and from',
      range: `1 to ${MOST_KEYS} keys of at least ${SHORTEST_KEY} characters`,
      argument: '<JSON>',
      examples: [[{ file: '/run/secrets/users' }]],
      decode: checkedPseudonyms,
    },
  ),
  actions: key(
    {
      description:
        'Reward of each action. An action with reward 0 is not positive; an action that is not named has reward 1; an event without an action is a click. The reward of a list is the sum, over its items, of the best action on each.',
      commands: ['serve', 'replay', 'evaluate', 'export', 'train', 'sql'],
      state: {
        effect: 'refused',
        how: 'Stored counts and rows cannot be converted.',
      },
      flag: '--actions',
      default: {
        view: 0,
        click: 1,
        purchase: 5,
      },
    },
    {
      schema: Type.Record(
        Type.Number({
          minimum: 0,
          maximum: 1e9,
        }),
      ),
      expected: 'an object of numbers from 0 to 1e9 by action',
      unit: 'reward of an interaction',
      range: `numbers from 0 to 1e9, at most ${MOST_WORTHS} different ones`,
      argument: '<JSON>',
      examples: [
        {
          view: 0,
          click: 1,
          purchase: 5,
        },
      ],
      decode: checkedActions,
    },
  ),
});

/** Keys of `deadLetters`: where invalid events go. */
export const DEAD_LETTERS = ofCommands(['serve', 'intake'], {
  to: key(
    {
      description:
        'Where invalid events are written: to `kafka.topics.deadLetter` (`topic`), nowhere (`none`), or to a file. They are always counted.',
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
      'Whether dead letters contain the event’s bytes. `withhold` keeps only reason, size, topic, partition and offset.',
    derived: 'withhold with `events.pseudonyms`, else keep',
  }),
});

/**
 * Whether dead letters contain the bytes of the event: by default, unless users have pseudonyms.
 */
export function payloadOf(
  { payload }: Decoded<typeof DEAD_LETTERS>,
  { pseudonyms }: Decoded<typeof EVENTS>,
): 'keep' | 'withhold' {
  return payload ?? (pseudonyms === undefined ? 'keep' : 'withhold');
}

/**
 * Check that dead letters withhold the bytes of events if users have pseudonyms, since the bytes
 * contain user ids.
 */
export function checkLetters(
  { payload }: Complete<typeof DEAD_LETTERS>,
  { pseudonyms }: Complete<typeof EVENTS>,
  fault: Report,
): void {
  if (pseudonyms === undefined || payload === 'withhold') return;
  fault('deadLetters.payload', 'expected withhold, because events.pseudonyms is set');
}

/** Check the keys of pseudonyms, which are secret, so error messages never quote them. */
function checkedPseudonyms(written: unknown): readonly PseudonymKey[] {
  const keys = (written as Record<string, unknown>[]).map(checkedPseudonym);
  keys.forEach(({ fromMs }, n) => {
    if (n > 0 && !(fromMs > keys[n - 1]!.fromMs)) {
      throw new RangeError(`[${n}].from: expected a time later than that of the key before it`);
    }
  });
  return keys;
}

function checkedPseudonym(entry: Record<string, unknown>, n: number): PseudonymKey {
  const { key, file, from, ...others } = entry;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new RangeError(`[${n}].${unknown}: unknown; known here: key, file, from`);
  }
  if ((key === undefined) === (file === undefined)) {
    throw new RangeError(`[${n}]: expected key or file, and not both`);
  }
  const secret = key ?? keyIn(file, n);
  if (typeof secret !== 'string' || secret.length < SHORTEST_KEY) {
    throw new RangeError(`[${n}]: expected a key of at least ${SHORTEST_KEY} characters`);
  }
  return {
    key: secret,
    fromMs: from === undefined ? Number.NEGATIVE_INFINITY : timeOf(from, n),
  };
}

function keyIn(file: unknown, n: number): string {
  try {
    return readFileSync(String(file), 'utf8').trim();
  } catch (error) {
    throw new RangeError(`[${n}].file: cannot be read: ${(error as Error).message}`);
  }
}

function timeOf(written: unknown, n: number): number {
  const bytes = new TextEncoder().encode(String(written));
  const ms = typeof written === 'number' ? written : isoTimestampMs(bytes, 0, bytes.length);
  if (!Number.isSafeInteger(ms)) {
    throw new RangeError(`[${n}].from: expected a time such as 2026-12-01T00:00:00Z`);
  }
  return ms;
}

/** Check a mapping. The check stops at the first error. */
function checkedMapping(written: unknown): MappingName | Mapping {
  if (isMappingName(written)) return written;
  try {
    // Ids of events are not required here, since that depends on the source of the events.
    compileMapping(written as Mapping, 'mapping', true);
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    throw new RangeError(error.message);
  }
  return written as Mapping;
}

function checkedFiles(written: unknown): Readonly<Record<string, MappingName | Mapping>> {
  const files = written as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(files).map(([pattern, mapping]) => {
      try {
        return [pattern, checkedMapping(mapping)] as const;
      } catch (error) {
        throw new RangeError(`.${pattern}: ${(error as Error).message}`);
      }
    }),
  );
}

function checkedActions(written: unknown): Readonly<Record<string, number>> {
  const actions = written as Readonly<Record<string, number>>;
  const different = new Set(Object.values(actions)).size;
  if (different > MOST_WORTHS)
    throw new RangeError(`expected at most ${MOST_WORTHS} different rewards`);
  return actions;
}
