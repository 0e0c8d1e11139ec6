import { createHash } from 'node:crypto';
import {
  type LearnedPropensities,
  learnedPropensities,
} from '../../estimators/propensity/learned-propensities.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import type { FileSource } from '../../export/manifest.js';
import { propensitiesIn, propensityBytes } from '../propensities/stored-propensities.js';

/** Learned propensities that a set is drawn by, and the file that they come from. */
export interface SetPropensities {
  readonly stamp: PropensityStamp;
  readonly learned: LearnedPropensities;
  readonly source: FileSource;
}

/**
 * Reads the file, if there is one: once, since another may take its place, and a hash of that one would
 * keep the set from being made again.
 *
 * @param knownAs where a manifest says that it is, if not where it is now.
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
