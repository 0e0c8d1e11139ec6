import type { EventDraft } from './draft.js';
import {
  CANDIDATES,
  DEPTH,
  FIRST_RANK,
  ID,
  ITEM,
  ITEMS,
  MAX_LIST_LENGTH,
  MODEL,
  PROPENSITIES,
  SCORES,
  SHARE,
  TS,
  TYPE,
  USER,
} from './field.js';
import type { EventRole } from './parse.js';

const REQUIRED_OF_BOTH = (1 << ID) | (1 << TS) | (1 << USER);
const REQUIRED_OF_INTERACTION = REQUIRED_OF_BOTH | (1 << ITEM);
const REQUIRED_OF_EXPOSURE = REQUIRED_OF_BOTH | (1 << MODEL) | (1 << ITEMS);

const OF_REQUEST = (1 << SHARE) | (1 << DEPTH);

/** Facts that a fast path has found about an event, in addition to its draft. */
export interface FoundFields {
  /** Bit mask by field code: bit f is 1 if field f is present and not null. */
  readonly present: number;
  readonly scoreCount: number;
  readonly saysExposure: boolean;
}

/**
 * Check the rules that involve several fields of a draft whose single fields are valid, and set the
 * draft's kind. The result is false for every event that `EventChecker` rejects, and also for some
 * valid ones, so `EventChecker` must then decide.
 */
export function isSound(
  draft: EventDraft,
  found: FoundFields,
  role: EventRole,
  latestTs: number,
): boolean {
  const { present, scoreCount, saysExposure } = found;
  let isExposure = role === 'exposures';
  if ((present & (1 << TYPE)) !== 0) {
    if (role !== 'mixed' && isExposure !== saysExposure) return false;
    isExposure = saysExposure;
  } else if (role === 'mixed') return false;
  draft.isExposure = isExposure;
  if (draft.ts > latestTs) return false;
  if (!isExposure) return (present & REQUIRED_OF_INTERACTION) === REQUIRED_OF_INTERACTION;
  if ((present & REQUIRED_OF_EXPOSURE) !== REQUIRED_OF_EXPOSURE) return false;
  const count = draft.itemCount;
  if ((present & (1 << SCORES)) !== 0 && scoreCount !== count) return false;
  if ((present & (1 << PROPENSITIES)) !== 0 && draft.propensityCount !== count) return false;
  if ((present & (1 << CANDIDATES)) !== 0) {
    const { candidates } = draft;
    if (candidates < count || Math.floor(candidates) !== candidates) return false;
  }
  if ((present & (1 << FIRST_RANK)) !== 0) {
    const { firstRank } = draft;
    if (!(firstRank >= 0 && firstRank <= MAX_LIST_LENGTH - count)) return false;
    if (Math.floor(firstRank) !== firstRank) return false;
  }
  if ((present & OF_REQUEST) !== 0 && !isSoundRequest(draft, present)) return false;
  return draft.repeatedItem() < 0;
}

/** Whether `share` and `depth` are absent or in range. */
function isSoundRequest({ share, depth }: EventDraft, present: number): boolean {
  if ((present & (1 << SHARE)) !== 0 && !(share >= 0 && share <= 1)) return false;
  if ((present & (1 << DEPTH)) === 0) return true;
  return depth >= 1 && depth <= MAX_LIST_LENGTH && Math.floor(depth) === depth;
}
