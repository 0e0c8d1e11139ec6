import { createHash } from 'node:crypto';
import {
  type LearnedPropensities,
  learnedPropensities,
} from '../../estimators/propensity/learned-propensities.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import type { FileSource } from '../../export/manifest.js';
import { propensitiesIn, propensityBytes } from '../propensities/stored-propensities.js';

/** Learned propensities that a set is drawn with, and the file that they come from. */
export interface SetPropensities {
  readonly stamp: PropensityStamp;
  readonly learned: LearnedPropensities;
  readonly source: FileSource;
}

/**
 * Read the propensities file, if there is one. One read gives both content and hash: if the file
 * were replaced between two reads, the manifest would have the hash of a file that was not used.
 *
 * @param knownAs path of the file in the manifest, if it has moved since.
 * @throws UnskewError FILE as `readPropensities`
 */
export async function setPropensities(
  path: string | undefined,
  knownAs = path,
): Promise<SetPropensities | undefined> {
  if (path === undefined) return undefined;
  const bytes = await propensityBytes(path);
  const { kind, version, date, model } = propensitiesIn(bytes, path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    stamp: {
      kind,
      version,
      date,
    },
    learned: learnedPropensities(model),
    source: {
      kind: 'file',
      role: 'propensities',
      path: knownAs!,
      bytes: bytes.length,
      sha256,
    },
  };
}
