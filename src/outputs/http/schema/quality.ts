import { type Static, Type } from 'typebox';
import { Num, type Wire } from '../../../rows/row.js';
import { ByName } from './number.js';

const TopicQuality = Type.Object({
  topic: Type.String(),
  accepted: Type.Number(),
  late: Type.Number(),
  duplicate: Type.Number(),
  ignored: Type.Number({ description: 'Events of a foreign schema that are neither of the two' }),
  overItemLimit: Type.Number({ description: 'Events with an item that there was no room for' }),
  faults: ByName(Type.Number()),
  lag: Num('Records that are not read yet, over all partitions'),
  partitions: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      watermark: Num('Newest event time, ms'),
      lag: Num(),
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
  { description: 'What became of the events since the service started, and how far it has read' },
);
export type QualityReport = Wire<Static<typeof QualityReport>>;
