import { type Static, Type } from 'typebox';
import { AWAY_PARTS } from '../../../rows/findings/away.js';
import { SEVERITIES } from '../../../rows/findings/finding.js';
import { STATE_CODES } from '../../../rows/findings/state.js';
import { Num, type Wire } from '../../../rows/row.js';
import { ByName } from './number.js';

const TopicQuality = Type.Object({
  topic: Type.String(),
  accepted: Type.Number(),
  late: Type.Number(),
  duplicate: Type.Number(),
  ignored: Type.Number({
    description: 'Events of a foreign schema that are neither exposures nor interactions',
  }),
  overItemLimit: Type.Number({ description: 'Events with an item beyond limits.items' }),
  faults: ByName(Type.Number()),
  lag: Num('Unread records over all partitions'),
  partitions: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      watermark: Num('Newest event time, ms'),
      lag: Num(),
      transactionSince: Num(
        'Since when an open transaction blocks all unread records, ms; null if none does',
      ),
    }),
  ),
});

export const QualityReport = Type.Object(
  {
    ready: Type.Boolean(),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        ok: Type.Boolean(),
        detail: Type.Optional(Type.String()),
      }),
    ),
    topics: Type.Array(TopicQuality),
  },
  { description: 'Events by outcome since the service started, and how far it has read' },
);
export type QualityReport = Wire<Static<typeof QualityReport>>;

const Named = {
  code: Type.Enum([...STATE_CODES]),
  severity: Type.Enum([...SEVERITIES]),
  since: Num('Start of the state, ms since the epoch'),
};

const AwayName = Type.Enum([...AWAY_PARTS], { description: 'What is away' });

/**
 * Schema of a service state for health routes, which need no token: without names of models or
 * topics.
 */
export const StateName = Type.Object({
  ...Named,
  part: Type.Optional(AwayName),
});

export const State = Type.Object({
  ...Named,
  subject: Type.Object({
    part: Type.Optional(AwayName),
    models: Type.Optional(Type.Array(Type.String())),
    topics: Type.Optional(Type.Array(Type.String())),
    series: Type.Optional(
      Type.Array(Type.String(), { description: 'As the detectors of change name them' }),
    ),
  }),
  figures: ByName(Num()),
  reason: Type.Optional(Type.String({ description: 'A reason in words that no figure gives' })),
  label: Type.String({ description: 'In a word or two' }),
  text: Type.String({ description: 'A sentence for people' }),
  remedy: Type.String({ description: 'What to do' }),
});

export const LiveState = Type.Object(
  {
    states: Type.Array(State, { description: 'Current states, the most urgent first' }),
    environment: Type.Optional(
      Type.String({ description: 'Name of what is measured; only where it has one' }),
    ),
    arrivals: Type.Union([QualityReport.properties.topics, Type.Null()], {
      description: 'Events by outcome so far; null once there are numbers',
    }),
  },
  { description: 'What to know before reading any number' },
);
export type LiveState = Wire<Static<typeof LiveState>>;
