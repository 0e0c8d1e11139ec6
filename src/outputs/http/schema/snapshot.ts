import { type Static, Type } from 'typebox';
import { HeavyUsers } from '../../../estimators/diagnostics/heavy-users.js';
import { SNAPSHOT_SCHEMAS } from '../../../features/schemas.js';
import { Num, type Wire } from '../../../rows/row.js';
import { TruthRow } from '../../json/v1-schema.js';
import { EventTime } from './number.js';
import { ConcentrationReport, LorenzReport } from './popularity.js';
import { PropensityFigures } from './propensity.js';
import { WindowSnapshot } from './window.js';

export const Sampling = Type.Object({
  ratio: Type.Number({ description: 'Share of the users that the windows are of; 1: all' }),
});

const SpreadUsers = Type.Object({
  users: Type.Number({ description: 'Users of the sample' }),
  several: Type.Number({ description: 'Those of them who are in several partitions' }),
});

const UserPartitions = Type.Object(
  {
    exposures: SpreadUsers,
    interactions: SpreadUsers,
    both: SpreadUsers,
    movedAt: Num('Event time at which users moved, all at once, in milliseconds'),
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
export type SnapshotReport = Wire<Static<typeof SnapshotReport>>;
