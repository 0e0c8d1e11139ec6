import type { Lane } from '../lanes/lane.js';
import type { Measure } from '../metrics/metric-gain.js';
import type { LevelGains } from './gamma-sensitivity.js';

/** What a measure gives every model, by level of popularity. */
export interface MeasureLevels extends Measure {
  readonly models: readonly LevelGains[];
}

/**
 * Rows and gains of every model by level of popularity, for each measure that rows add up to: those
 * of whole sets are left out. As the lanes that have them summed them up.
 *
 * @param models names, by their numbers.
 */
export function levelGains(lanes: readonly Lane[], models: readonly string[]): MeasureLevels[] {
  const summed = lanes.filter(({ levels }) => levels !== null).sort((a, b) => a.model - b.model);
  return (['ranked', 'complete'] as const).flatMap((family) => {
    const own = summed.filter((lane) => lane.family === family);
    return (own[0]?.metrics ?? []).flatMap(({ metric, k, set }, m) =>
      set === null
        ? [{ metric, k, models: own.map((lane) => gainsOf(lane, m, models[lane.model])) }]
        : [],
    );
  });
}

function gainsOf({ levels }: Lane, metric: number, model: string): LevelGains {
  return { model, rows: levels!.rows, gains: levels!.gains[metric] };
}
