import { perLevel } from '../../propensity/power-law.js';
import { interventionWeight, targetedWeight } from '../../sampling/intervention-weights.js';
import { rake } from '../../sampling/raking.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { perItem } from '../known/per-item.js';
import type { InterventionName } from '../names.js';
import type { EstimateOptions } from '../options.js';

/** Both sides of an intervention's weights. */
export interface InterventionSides {
  /** Per segment of each part; null where it is 1 for everybody. */
  readonly userSides: ReadonlyMap<WindowPart, Float64Array> | null;
  readonly itemSide: Float64Array;
  /** Of raked weights: whether both margins could be made uniform. */
  readonly raking?: { readonly components: number; readonly isDamped: boolean };
}

/**
 * The weights of an intervention, as a user's side times an item's.
 *
 * full, reg: 1; skew: 1 / (n_i + κ); wtd_h: 1 / ((n_u + κ) (n_i + κ)^p);
 * wtd: (m_u + κ) / (n_u + κ) · ((m_i + κ) / (n_i + κ))^p; wtd_ipf: raked to uniform margins.
 * n all interactions in the popularity horizon, m those of them from randomised traffic.
 * Source: Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3; wtd_ipf: see `rake`.
 */
export function* interventionSides(
  name: InterventionName,
  parts: readonly WindowPart[],
  counts: ItemTotals,
  { smoothing, posteriorExponent }: EstimateOptions,
  sliceRows: number,
): Generator<void, InterventionSides> {
  const items = new Float64Array(counts.items);
  const interactions = counts.interactions.subarray(0, counts.items);
  switch (name) {
    case 'full':
    case 'reg':
      return { userSides: null, itemSide: items.fill(1) };
    case 'skew': {
      const weigh = (n: number) => interventionWeight(n, smoothing, 1);
      return { userSides: null, itemSide: yield* perItem(interactions, weigh, items) };
    }
    case 'wtd_h': {
      const weigh = (n: number) => interventionWeight(n, smoothing, posteriorExponent);
      const weighUser = perLevel((n) => interventionWeight(n, smoothing, 1));
      const userSides = new Map<WindowPart, Float64Array>();
      for (const part of parts) {
        const side = new Float64Array(part.users);
        userSides.set(part, yield* perItem(part.userCount, weighUser, side));
      }
      return { userSides, itemSide: yield* perItem(interactions, weigh, items) };
    }
    case 'wtd':
      return yield* targeted(parts, counts, smoothing, posteriorExponent);
    case 'wtd_ipf': {
      const { userSides, itemSide, components, isDamped } = yield* rake(
        parts,
        counts.items,
        sliceRows,
      );
      return {
        userSides: new Map(parts.map((part, p) => [part, userSides[p]])),
        itemSide,
        raking: { components, isDamped },
      };
    }
  }
}

function* targeted(
  parts: readonly WindowPart[],
  counts: ItemTotals,
  smoothing: number,
  exponent: number,
): Generator<void, InterventionSides> {
  const userSides = new Map<WindowPart, Float64Array>();
  for (const part of parts) {
    const { userCount, userRandomized } = part;
    const side = new Float64Array(part.users);
    for (let s = 0; s < side.length; s++) {
      side[s] = targetedWeight(userRandomized[s], userCount[s], smoothing, 1);
    }
    userSides.set(part, side);
    yield;
  }
  const itemSide = new Float64Array(counts.items);
  for (let i = 0; i < itemSide.length; i++) {
    const { randomized, interactions } = counts;
    itemSide[i] = targetedWeight(randomized[i], interactions[i], smoothing, exponent);
  }
  yield;
  return { userSides, itemSide };
}
