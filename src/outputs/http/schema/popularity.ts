import { type Static, Type } from 'typebox';
import { ByName, EventTime, MaybeNumber } from './number.js';

export const Concentration = Type.Object({
  total: Type.Number(),
  gini: MaybeNumber(),
  hhi: MaybeNumber(),
  coverage: MaybeNumber('Share of the catalogue with a count'),
  entropy: MaybeNumber('Of the shares, in nats'),
  topShare: MaybeNumber('Share of the total that the top 1 % of the catalogue holds'),
  averagePopularity: MaybeNumber('Mean popularity of what was counted'),
});

/** Of the interactions, and of what each model showed. */
export const ConcentrationReport = Type.Object({
  interactions: Concentration,
  exposures: ByName(Concentration),
});
export type ConcentrationReport = Static<typeof ConcentrationReport>;

export const LorenzReport = Type.Object(
  {
    interactions: Type.Array(MaybeNumber()),
    exposures: ByName(Type.Array(MaybeNumber())),
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
      averageRecommendationPopularity: ByName(MaybeNumber()),
      averageInteractionPopularity: MaybeNumber(),
    }),
  ),
});
