import type { SimulationOptions } from '../options.js';

/**
 * θ_k for each visible place: the chance that a user looks at it, as a share of the first place's.
 * Where the curve is flat every shown place is looked at; where the curve is shorter than the list, nobody
 * looks at the places behind it.
 */
export function examination({
  examination: curve = 'flat',
  shownLength,
}: Pick<SimulationOptions, 'examination' | 'shownLength'>): Float64Array {
  return Float64Array.from({ length: shownLength }, (_, k) =>
    curve === 'flat' ? 1 : (curve[k] ?? 0),
  );
}
