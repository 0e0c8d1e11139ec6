import { createHash } from 'node:crypto';
import {
  type LearnedPropensities,
  learnedPropensities,
} from '../../estimators/propensity/learned-propensities.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import type { FileSource } from '../../export/manifest.js';
import { propensitiesIn, propensityBytes } from '../propensities/stored-propensities.js';

/** Learned propensities of a set, and their file. */
export interface SetPropensities {
  readonly stamp: PropensityStamp;
  readonly learned: LearnedPropensities;
  readonly source: FileSource;
}

/**
 * Read the propensities file, if there is one. It is read only once: if it were replaced in
 * between, the manifest would have the hash of a file that was not used.
 *
 * @param knownAs its path in the manifest, if it is elsewhere now.
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
