import { type Static, Type } from 'typebox';
import { CALIBRATION_STATUSES } from '../../../estimators/propensity/calibration.js';
import { GAMMA_FITS, GAMMA_STATUSES } from '../../../estimators/propensity/gamma.js';
import { GAMMA_INTERVAL_STATUSES } from '../../../estimators/propensity/gamma-interval.js';
import { GAMMA_SOURCES, USED_GAMMA_SOURCES } from '../../../estimators/propensity/gamma-source.js';
import { WeightBin } from '../../../estimators/results/window-estimates.js';
import { Num, type Wire } from '../../../rows/row.js';
import { ByName, EventTime } from './number.js';

const GammaFit = Type.Object({
  ols: Type.Object({
    gamma: Num(),
    stdErr: Num(),
    r2: Num(),
    intercept: Num('a of ln f(n) = a + γ ln n'),
  }),
  poisson: Type.Object({
    gamma: Num(),
    stdErr: Num(),
    dispersion: Num(),
    intercept: Num(),
  }),
  levels: Type.Number({ description: 'Levels of popularity that entered the line' }),
  zeroLevels: Type.Number({ description: 'Levels without exposures' }),
  status: Type.Enum([...GAMMA_STATUSES]),
  curve: Type.Array(Type.Object({ level: Type.Number(), exposuresPerItem: Num() }), {
    description: 'f(n) on log2 bins; level is the lower end',
  }),
});

const FittedExponent = Type.Object({
  gamma: Num(),
  stdErr: Num(),
  lower: Num(),
  upper: Num(),
});

const GammaEvidence = Type.Object(
  {
    calibration: Type.Object({
      status: Type.Enum([...CALIBRATION_STATUSES]),
      beta: Num('β that randomised traffic calls for'),
      stdErr: Num(),
      lower: Num(),
      upper: Num(),
      items: Type.Number(),
      organic: Type.Number(),
      randomized: Type.Number(),
    }),
    exposures: Type.Object({
      status: Type.Enum([...GAMMA_INTERVAL_STATUSES]),
      split: FittedExponent,
      poisson: FittedExponent,
      lower: Num('Of the union of both intervals'),
      upper: Num(),
    }),
    asking: Type.Optional(
      Type.Object({ source: Type.Enum([...GAMMA_SOURCES]), ticks: Type.Number() }),
    ),
  },
  { description: 'What γ was chosen by, with `gamma: auto` alone' },
);

export const PropensityFigures = Type.Object({
  gamma: Type.Number({ description: 'γ that the estimates use' }),
  gammaStdErr: Num(),
  beta: Type.Number({ description: '(γ + 1) / 2' }),
  source: Type.Enum([...USED_GAMMA_SOURCES]),
  fit: Type.Enum([...GAMMA_FITS]),
  fits: ByName(GammaFit),
  auto: Type.Optional(GammaEvidence),
});
export type PropensityFigures = Wire<Static<typeof PropensityFigures>>;

export const PropensityReport = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  propensity: PropensityFigures,
  windows: Type.Array(
    Type.Object({ name: Type.String(), weightDistribution: Type.Array(WeightBin) }),
  ),
});
