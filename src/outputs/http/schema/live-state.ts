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
    description: 'Records of a kind that events.mapping ignores',
  }),
  overItemLimit: Type.Number({
    description: 'Events left out because their item exceeds limits.items',
  }),
  faults: ByName(Type.Number()),
  lag: Num('Unread records over all partitions'),
  partitions: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      watermark: Num('Newest event time, ms'),
      lag: Num(),
      transactionSince: Num(
        'Start of the open transaction that blocks all unread records, ms; null if there is none',
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
  {
    description: 'Events by outcome since the service started, and the progress of each partition',
  },
);
export type QualityReport = Wire<Static<typeof QualityReport>>;

const Named = {
  code: Type.Enum([...STATE_CODES]),
  severity: Type.Enum([...SEVERITIES]),
  since: Num('Start of the state, ms since the epoch'),
};

const AwayName = Type.Enum([...AWAY_PARTS], { description: 'Part that does not answer' });

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
      Type.Array(Type.String(), { description: 'Monitored series, as alarms name them' }),
    ),
  }),
  figures: ByName(Num()),
  reason: Type.Optional(Type.String({ description: 'Further reason, in words' })),
  label: Type.String({ description: 'State in one or two words' }),
  text: Type.String({ description: 'The state as a sentence' }),
  remedy: Type.String({ description: 'What to do about the state' }),
});

export const LiveState = Type.Object(
  {
    states: Type.Array(State, { description: 'Current states, the most urgent first' }),
    environment: Type.Optional(
      Type.String({ description: 'Name of the environment (`environment`), if one is configured' }),
    ),
    arrivals: Type.Union([QualityReport.properties.topics, Type.Null()], {
      description: 'Events by outcome until the first numbers appear; then null',
    }),
  },
  { description: 'States of the service that affect how to read the numbers' },
);
export type LiveState = Wire<Static<typeof LiveState>>;
