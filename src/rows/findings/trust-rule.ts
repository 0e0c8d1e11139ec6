/** How far numbers can be trusted: as they are, only against each other, or not at all. */
export const TRUST_ANSWERS = ['yes', 'comparisons', 'no'] as const;
export type TrustAnswer = (typeof TRUST_ANSWERS)[number];

/** What the answer rests on. */
export interface TrustFacts {
  /** Nothing should be decided: few effective users, withheld estimates, a stream that is cut … */
  readonly hasProblem: boolean;
  /** The data tell γ: it is calibrated or fitted, or randomised traffic confirms a fixed one. */
  readonly isGammaKnown: boolean;
  /** Randomised traffic, exposures and the γ in use do not contradict each other. */
  readonly doSourcesAgree: boolean;
  /** Models change places within the 95 % interval of γ. */
  readonly hasFlipNear: boolean;
  /** The share of the weight on items that were counted once is measured, and small. */
  readonly isWeightSeen: boolean;
  readonly isUnseenSmall: boolean;
  /** What shown lists caused is followed, and known to show little in the estimates. */
  readonly isCauseFollowed: boolean;
  readonly isFeedbackSmall: boolean;
  /** Models with an estimate. */
  readonly models: number;
  /** Another model leads at some γ in [−1, 1], or between there and the γ in use. */
  readonly doesLeaderChange: boolean;
}

/**
 * The rule: no where there is a problem; yes where γ is known, its sources agree, no two models
 * change places within its error, and neither unseen items nor own-list feedback shift the estimates;
 * else comparisons where several models have the same leader at every γ; else no.
 *
 * @example
 * trustAnswer({ isGammaKnown: false, models: 2, doesLeaderChange: true }); // 'no'
 */
export function trustAnswer(facts: TrustFacts): TrustAnswer {
  if (facts.hasProblem) return 'no';
  const isSound = facts.isWeightSeen && facts.isUnseenSmall;
  const isUncaused = facts.isCauseFollowed && facts.isFeedbackSmall;
  const isGammaSound = facts.isGammaKnown && facts.doSourcesAgree && !facts.hasFlipNear;
  if (isGammaSound && isSound && isUncaused) return 'yes';
  return facts.models > 1 && !facts.doesLeaderChange ? 'comparisons' : 'no';
}
