import { UnskewError } from '../../errors.js';
import { FORMATS, type Format } from '../../events/formats/frame.js';
import { compileMapping, type Mapping } from '../../events/mapping/mapping.js';
import { isMappingName, mappingNamed } from '../../events/mapping/named-mappings.js';
import type { EventRole } from '../../events/parse.js';
import { type Complete, FILE_READERS, type Report } from '../key.js';
import { duration, key, ofCommands, whole, yesOrNo } from '../kinds.js';
import { Type } from '../schema.js';
import type { KAFKA } from './kafka.js';

const SOURCE_KEYS = 'topic, topics, events, format, mapping';
const EVENT_ROLES = ['exposures', 'interactions', 'mixed'] as const;
const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;

/** Source topics of the intake that are read in the same way. */
export interface IntakeSource {
  readonly topics: readonly string[];
  readonly events: EventRole;
  readonly format: Format;
  readonly mapping: Mapping | undefined;
}

/** Keys of `intake.lists`: how lists are assembled from records of one impression each. */
const LISTS = {
  gap: duration({
    commands: ['serve', 'intake', ...FILE_READERS],
    description:
      'Longest pause between two impressions of one list. A list is complete after this pause, or ten times as long after its first impression.',
    least: '1s',
    default: '1m',
  }),
  firstPlace: whole({
    commands: ['serve', 'intake', ...FILE_READERS],
    description: 'Number that the field `place` has at the first position.',
    from: 0,
    to: 1,
    unit: 'places',
    default: 1,
  }),
} as const;

const SOURCE = Type.Record(Type.Unknown());

/**
 * Keys of `intake`: source topics in any format, which are rewritten to the topics of the service.
 */
export const INTAKE = ofCommands(['serve', 'intake'], {
  sources: key(
    {
      description:
        'Topics with any key, schema or number of partitions. The intake rewrites their events to `kafka.topics`, keyed by user. Each entry has `topic` or `topics`, and may have `events` (`exposures`, `interactions` or the default `mixed`), `format` (as in `kafka.formats`) and `mapping`.',
      default: [],
    },
    {
      schema: Type.Array(SOURCE),
      expected: 'a list of objects with the keys topic (or topics), events, format and mapping',
      range: 'any number of topics, each in one entry',
      argument: '<JSON>',
      examples: [
        [
          {
            topic: 'shop.impressions',
            events: 'exposures',
          },
          {
            topics: ['web.events', 'app.events'],
            mapping: 'segment',
          },
        ],
      ],
      decode: checkedSources,
    },
  ),
  inServe: yesOrNo({
    description: 'Run the intake within `serve`. If false, start `unskew intake` separately.',
    commands: ['serve'],
    default: true,
  }),
  lists: LISTS,
  partitions: whole({
    description: 'Number of partitions for topics that the intake creates.',
    from: 1,
    to: 10_000,
    unit: 'partitions',
    default: 12,
  }),
});

function checkedSources(written: unknown): readonly IntakeSource[] {
  const seen = new Set<string>();
  return (written as Record<string, unknown>[]).map((entry, n) => {
    const source = checkedSource(entry, `[${n}]`);
    for (const topic of source.topics) {
      if (seen.has(topic)) throw new RangeError(`[${n}]: ${topic} occurs in two entries`);
      seen.add(topic);
    }
    return source;
  });
}

function checkedSource(entry: Record<string, unknown>, at: string): IntakeSource {
  const { topic, topics = topic === undefined ? [] : [topic], events = 'mixed', ...rest } = entry;
  const { mapping, format = 'json', ...others } = rest;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new RangeError(`${at}.${unknown}: unknown; known here: ${SOURCE_KEYS}`);
  }
  if (topic !== undefined && entry['topics'] !== undefined) {
    throw new RangeError(`${at}: expected topic or topics, not both`);
  }
  const isTopic = (name: unknown) => typeof name === 'string' && TOPIC_NAME.test(name);
  if (!Array.isArray(topics) || topics.length === 0 || !topics.every(isTopic)) {
    throw new RangeError(`${at}: expected topic, or topics as a list of names`);
  }
  if (!EVENT_ROLES.includes(events as EventRole)) {
    throw new RangeError(`${at}.events: expected one of ${EVENT_ROLES.join(', ')}`);
  }
  if (!FORMATS.includes(format as Format)) {
    throw new RangeError(`${at}.format: expected one of ${FORMATS.join(', ')}`);
  }
  const reading = {
    events: events as EventRole,
    format: format as Format,
  };
  return {
    topics,
    ...reading,
    mapping: checkedMapping(mapping, at),
  };
}

function checkedMapping(mapping: unknown, at: string): Mapping | undefined {
  if (mapping === undefined) return undefined;
  if (isMappingName(mapping)) return mappingNamed(mapping);
  try {
    compileMapping(mapping as Mapping, `${at}.mapping`, true);
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    throw new RangeError(error.message);
  }
  return mapping as Mapping;
}

/** Name of the internal topic in which impressions wait for their lists, keyed by user. */
export function partsTopicOf({ exposures }: { readonly exposures: string }): string {
  return `${exposures}.parts`;
}

/** Reject internal topics as sources, since the intake would read its own output. */
export function checkIntake(
  { sources }: Complete<typeof INTAKE>,
  topics: Complete<typeof KAFKA>['topics'],
  fault: Report,
): void {
  for (const topic of sources.flatMap((source) => source.topics)) {
    const found = Object.entries(topics).find(([, name]) => name === topic);
    if (found === undefined) continue;
    fault('intake.sources', `${topic} is kafka.topics.${found[0]}, to which the intake writes`);
  }
  const read = [...sources.flatMap((source) => source.topics), ...Object.values(topics)];
  const parts = partsTopicOf(topics);
  if (read.includes(parts)) {
    fault(
      'intake.sources',
      `the intake writes impressions that wait for their list to ${parts}, so no other setting may name this topic`,
    );
  }
}
