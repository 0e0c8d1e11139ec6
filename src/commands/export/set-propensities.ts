import { fileHash } from '../../adapters/files/file-hash.js';
import type { FileSource } from '../../export/manifest.js';
import {
  type LearnedPropensities,
  learnedPropensities,
} from '../../propensity/learned/learned-propensities.js';
import type { PropensityStamp } from '../../propensity/learned/used-propensities.js';
import { readPropensities } from '../propensities/file/stored-propensities.js';

/** Learned propensities that a set is drawn by, and the file that they come from. */
export interface SetPropensities {
  readonly stamp: PropensityStamp;
  readonly learned: LearnedPropensities;
  readonly source: FileSource;
}

/**
 * Reads the file, if there is one.
 *
 * @param knownAs where a manifest says that it is, if not where it is now.
 * @throws UnskewError FILE as `readPropensities`
 */
export async function setPropensities(
  path: string | undefined,
  knownAs = path,
): Promise<SetPropensities | undefined> {
  if (path === undefined) return undefined;
  const { kind, version, date, model } = await readPropensities(path);
  return {
    stamp: { kind, version, date },
    learned: learnedPropensities(model),
    source: { kind: 'file', role: 'propensities', path: knownAs!, ...(await fileHash(path)) },
  };
}
