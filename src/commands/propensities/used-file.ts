import type { Config } from '../../config.js';
import { askedOf } from '../../estimators/propensity/learned-propensities.js';
import {
  type PackedPropensities,
  packPropensities,
} from '../../estimators/propensity/packed-propensities.js';
import {
  expectedMargins,
  type PropensitySource,
  type UsedPropensities,
} from '../../estimators/propensity/used-propensities.js';
import { PROPENSITY_FILES } from '../../features/options.js';

/** A propensities file in packed form, which threads can exchange. */
export type PackedFile = Omit<UsedPropensities, 'learned' | 'margins'> & {
  readonly packed: PackedPropensities;
};

/** Read, check and pack a propensities file. @throws UnskewError FILE as `readPropensities` */
export async function readPacked(path: string): Promise<PackedFile> {
  // The check takes long to load, and most runs have no such file.
  const { readPropensities } = await import('./stored-propensities.js');
  const { kind, version, date, figures, model } = await readPropensities(path);
  const { comparison } = figures;
  return {
    kind,
    version,
    date,
    comparison,
    packed: packPropensities(model),
  };
}

/** Read a propensities file for lookups. @throws UnskewError FILE as `readPropensities` */
export async function readUsed(path: string): Promise<UsedPropensities> {
  return usedOf(await readPacked(path));
}

/** Make a packed file usable for lookups, in O(1). */
export function usedOf({ packed, ...stamp }: PackedFile): UsedPropensities {
  return {
    ...stamp,
    learned: askedOf(packed),
    margins: expectedMargins(packed),
  };
}

/** Path of the propensities file in the configuration, if there is one. */
export function propensityFileOf(config: Config): string | undefined {
  return PROPENSITY_FILES.map((fileOf) => fileOf(config)).find((file) => file !== undefined);
}

/**
 * Read the propensities file in the configuration once; undefined if there is none.
 *
 * @throws UnskewError FILE as `readPropensities`
 */
export async function propensitiesOf(config: Config): Promise<PropensitySource | undefined> {
  const file = propensityFileOf(config);
  if (file === undefined) return undefined;
  const used = await readUsed(file);
  return { current: () => used };
}
