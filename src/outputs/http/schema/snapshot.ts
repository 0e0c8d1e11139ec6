import { type Static, Type } from 'typebox';
import { SNAPSHOT_SCHEMAS } from '../../../features/schemas.js';
import { TruthRow } from '../../json/v1-schema.js';
import { EventTime, MaybeNumber } from './number.js';
import { ConcentrationReport, LorenzReport } from './popularity.js';
import { PropensityFigures } from './propensity.js';
import { WindowSnapshot } from './window.js';

export const Sampling = Type.Object({
  ratio: Type.Number({ description: 'Share of the users that the windows are of; 1: all' }),
});

const HeavyUsers = Type.Object(
  {
    users: Type.Number({ description: 'Users with an interaction' }),
    interactions: Type.Number(),
    median: Type.Number({ description: 'Interactions of the median user' }),
    limit: MaybeNumber('Interactions from which on a user stands apart, and is not evaluated'),
    largestShare: Type.Number({ description: 'Share of the user with most interactions' }),
    apart: Type.Number({ description: 'Users who stand apart from all others' }),
    apartShare: Type.Number({ description: 'Share of the interactions that is theirs' }),
    named: Type.Array(
      Type.Object({ user: Type.String(), interactions: Type.Number(), share: Type.Number() }),
      { description: 'Those with most interactions, 20 at most' },
    ),
  },
  { description: 'Who may be a crawler; only if popularity.userCap is set' },
);

const SpreadUsers = Type.Object({
  users: Type.Number({ description: 'Users of the sample' }),
  several: Type.Number({ description: 'Those of them who are in several partitions' }),
});

const UserPartitions = Type.Object(
  {
    exposures: SpreadUsers,
    interactions: SpreadUsers,
    both: SpreadUsers,
    movedAt: MaybeNumber('Event time at which users moved, all at once, in milliseconds'),
  },
  { description: 'In which partitions users are seen; only if some are in several' },
);

export const SnapshotReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  models: Type.Array(Type.String()),
  catalogueSize: Type.Number(),
  baseline: Type.Union([Type.String(), Type.Null()]),
  propensity: PropensityFigures,
  popularity: ConcentrationReport,
  lorenz: LorenzReport,
  windows: Type.Array(WindowSnapshot),
  sampling: Sampling,
  popularitySince: Type.Optional(EventTime('Where what popularity counts begins')),
  homes: Type.Optional(UserPartitions),
  heavyUsers: Type.Optional(HeavyUsers),
  ...SNAPSHOT_SCHEMAS,
  truth: Type.Optional(Type.Array(TruthRow)),
});
export type SnapshotReport = Static<typeof SnapshotReport>;
