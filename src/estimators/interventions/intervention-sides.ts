import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import type { EstimateOptions } from '../options.js';
import { perLevel } from '../propensity/power-law.js';
import type { Intervention, SideWeights } from '../rules/estimator.js';
import { perItem } from '../window/per-item.js';
import { rake } from './raking.js';

/** Both sides of an intervention's weights. */
export interface InterventionSides {
  /** Per segment of each part; null where it is 1 for everybody. */
  readonly userSides: ReadonlyMap<WindowPart, Float64Array> | null;
  readonly itemSide: Float64Array;
  /** Of raked weights: whether both margins could be made uniform. */
  readonly raking?: { readonly components: number; readonly isDamped: boolean };
}

type Exponents = Pick<EstimateOptions, 'smoothing' | 'posteriorExponent'>;

/**
 * The weights of an intervention, as a user's side times an item's; each defines its own
 * (`estimators/rules`).
 *
 * n is all interactions in the popularity horizon, m those of them from randomised traffic.
 * Source: Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3; raked weights: see `rake`.
 */
export function* interventionSides(
  { weights }: Intervention,
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: Exponents,
  sliceRows: number,
): Generator<void, InterventionSides> {
  if (weights === 'raked') {
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
  const userSides = weights.user === null ? null : yield* usersOf(weights, parts, options);
  return { userSides, itemSide: yield* itemsOf(weights, counts, options) };
}

function* usersOf(
  { user, isTargeted }: SideWeights,
  parts: readonly WindowPart[],
  { smoothing }: Exponents,
): Generator<void, Map<WindowPart, Float64Array>> {
  const sides = new Map<WindowPart, Float64Array>();
  const byCount = perLevel((n) => user!(n, 0, smoothing, 1));
  for (const part of parts) {
    const { userCount, userRandomized } = part;
    const side = new Float64Array(part.users);
    sides.set(part, side);
    if (!isTargeted) {
      yield* perItem(userCount, byCount, side);
      continue;
    }
    for (let s = 0; s < side.length; s++) {
      side[s] = user!(userCount[s], userRandomized[s], smoothing, 1);
    }
    yield;
  }
  return sides;
}

function* itemsOf(
  { item, isTargeted }: SideWeights,
  { items, interactions, randomized }: ItemTotals,
  { smoothing, posteriorExponent }: Exponents,
): Generator<void, Float64Array> {
  const side = new Float64Array(items);
  if (item === null) return side.fill(1);
  if (!isTargeted) {
    const byCount = (n: number) => item(n, 0, smoothing, posteriorExponent);
    return yield* perItem(interactions.subarray(0, items), byCount, side);
  }
  for (let i = 0; i < items; i++) {
    side[i] = item(interactions[i], randomized[i], smoothing, posteriorExponent);
  }
  yield;
  return side;
}
