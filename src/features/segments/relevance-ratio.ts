/** Exposure against relevance of head, middle and tail. */
export interface RelevanceRatios {
  /** (E_g / ΣE) / (Rel_g / ΣRel); 1 where a group is shown as much as it is worth. */
  readonly ratios: readonly [number, number, number];
  /** DTR: the ratio of the tail over that of the head; 1 is fair. */
  readonly tailToHead: number;
}

export type RelevanceRefusal = 'no_exposure' | 'no_relevance';

/**
 * How exposure is shared out against what users found, corrected for popularity.
 *
 * E_g = Σ 1 / log₂(Z + 2) over the places Z, from 0, that hold items of group g; Rel_g = Σ w over
 * the window’s positives of the group, w = 1 / p. Since Rel is the corrected share, it depends on γ:
 * give it for several (γ = −1, .5 and the one in use).
 * **Source**: Singh & Joachims 2018, Fairness of exposure in rankings, section 3.2.3 (disparate
 * treatment ratio), between groups of items by popularity.
 *
 * @param exposure E_g. @param relevance Rel_g.
 * @returns a refusal where a group has no relevance, or nothing was shown.
 * @example
 * const found = relevanceRatios([4, 4, 2], [1, 1, 2]);
 * typeof found === 'string' ? 0 : found.tailToHead; // 0.25
 */
export function relevanceRatios(
  exposure: readonly [number, number, number],
  relevance: readonly [number, number, number],
): RelevanceRatios | RelevanceRefusal {
  const shown = exposure[0] + exposure[1] + exposure[2];
  const found = relevance[0] + relevance[1] + relevance[2];
  if (!(shown > 0)) return 'no_exposure';
  if (!relevance.every((weight) => weight > 0)) return 'no_relevance';
  const of = (g: 0 | 1 | 2) => exposure[g] / shown / (relevance[g] / found);
  const ratios = [of(0), of(1), of(2)] as const;
  return { ratios, tailToHead: ratios[2] / ratios[0] };
}
