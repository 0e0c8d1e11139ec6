import { type Static, Type } from 'typebox';
import { Num, type Wire } from '../../../rows/row.js';
import { ByName, EventTime } from './number.js';

export const Concentration = Type.Object({
  total: Type.Number(),
  gini: Num(),
  hhi: Num(),
  coverage: Num('Share of the catalogue with a count'),
  entropy: Num('Of the shares, in nats'),
  topShare: Num('Share of the total that the top 1 % of the catalogue holds'),
  averagePopularity: Num('Mean popularity of what was counted'),
});

/** Of the interactions, and of what each model showed. */
export const ConcentrationReport = Type.Object({
  interactions: Concentration,
  exposures: ByName(Concentration),
});
export type ConcentrationReport = Wire<Static<typeof ConcentrationReport>>;

export const LorenzReport = Type.Object(
  {
    interactions: Type.Array(Num()),
    exposures: ByName(Type.Array(Num())),
  },
  {
    description:
      'Lorenz curves at 0, 1, …, 100 % of the catalogue, least popular first; empty without counts',
  },
);

export const PopularityReport = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  catalogueSize: Type.Number(),
  popularity: ConcentrationReport,
  lorenz: LorenzReport,
  windows: Type.Array(
    Type.Object({
      name: Type.String(),
      averageRecommendationPopularity: ByName(Num()),
      averageInteractionPopularity: Num(),
    }),
  ),
});
