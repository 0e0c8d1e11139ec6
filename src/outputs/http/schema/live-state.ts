import { type Static, Type } from 'typebox';
import { SEVERITIES } from '../../../rows/findings/finding.js';
import { STATE_CODES } from '../../../rows/findings/state.js';
import { Num, type Wire } from '../../../rows/row.js';
import { ByName } from './number.js';
import { QualityReport } from './quality.js';

const Named = {
  code: Type.Enum([...STATE_CODES]),
  severity: Type.Enum([...SEVERITIES]),
  since: Num('Since when it holds, ms since the epoch'),
};

/** What anyone may know who reaches the health routes: no name of a model or a topic. */
export const StateName = Type.Object(Named);

export const State = Type.Object({
  ...Named,
  subject: Type.Object({
    models: Type.Optional(Type.Array(Type.String())),
    topics: Type.Optional(Type.Array(Type.String())),
    series: Type.Optional(
      Type.Array(Type.String(), { description: 'As the detectors of change name them' }),
    ),
  }),
  figures: ByName(Num()),
  reason: Type.Optional(Type.String({ description: 'What no figure says' })),
  label: Type.String({ description: 'In a word or two' }),
  text: Type.String({ description: 'A sentence for people' }),
  remedy: Type.String({ description: 'What to do' }),
});

export const LiveState = Type.Object(
  {
    states: Type.Array(State, { description: 'Those that hold now, the most urgent first' }),
    environment: Type.Optional(
      Type.String({ description: 'Name of what is measured; only where it has one' }),
    ),
    arrivals: Type.Union([QualityReport.properties.topics, Type.Null()], {
      description: 'What became of the events so far; null once there are numbers',
    }),
  },
  { description: 'What is to be known before any number is read' },
);
export type LiveState = Wire<Static<typeof LiveState>>;
