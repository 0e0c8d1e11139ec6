import type { Config } from '../../config.js';
import { expectedMargins } from '../../propensity/learned/expected-margins.js';
import { learnedPropensities } from '../../propensity/learned/learned-propensities.js';
import type {
  PropensitySource,
  UsedPropensities,
} from '../../propensity/learned/used-propensities.js';
import { readPropensities } from './stored-propensities.js';

/** @throws UnskewError FILE as `readPropensities` */
export async function readUsed(path: string): Promise<UsedPropensities> {
  const { kind, version, date, figures, model } = await readPropensities(path);
  return {
    ...{ kind, version, date, comparison: figures.comparison },
    ...{ learned: learnedPropensities(model), margins: expectedMargins(model) },
  };
}

/**
 * The file that the configuration names, read once; undefined if it names none.
 *
 * @throws UnskewError FILE as `readPropensities`
 */
export async function propensitiesOf({ ratings }: Config): Promise<PropensitySource | undefined> {
  if (ratings.propensities === undefined) return undefined;
  const used = await readUsed(ratings.propensities);
  return { current: () => used };
}
