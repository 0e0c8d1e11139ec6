import { type Static, Type } from 'typebox';
import { Alarm, Notice } from './alarm.js';
import { TruthRow } from './estimate.js';
import { EventTime } from './number.js';
import { ConcentrationReport, LorenzReport } from './popularity.js';
import { PropensityFigures } from './propensity.js';
import { WindowSnapshot } from './window.js';

export const Sampling = Type.Object({
  ratio: Type.Number({ description: 'Share of the users that the windows are of; 1: all' }),
});

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
  alarms: Type.Optional(Type.Array(Alarm)),
  notices: Type.Optional(Type.Array(Notice, { description: 'What is new and no alarm' })),
  truth: Type.Optional(Type.Array(TruthRow)),
});
export type SnapshotReport = Static<typeof SnapshotReport>;
