import type { Contrast } from '../../../estimators/evidence/per-user.js';
import type { Objection } from '../../evidence.js';
import type { AbArm, AbCaution, AbReward, AbSplit } from '../../verdicts/answer.js';

declare module '../../../stream/feature-types.js' {
  interface WindowReports {
    /** What a test of served lists says, before it is judged; only there if the log holds one. */
    readonly abTest?: AbRead;
  }
}

/** What a test of served lists says, before it is judged. */
export interface AbRead {
  readonly unit: 'user' | 'request' | null;
  readonly isUnitAssumed: boolean;
  readonly isRandomisationAssumed: boolean;
  readonly split: AbSplit;
  readonly control: string;
  readonly reward: AbReward;
  readonly since: number;
  readonly at: number;
  readonly days: number;
  readonly isWeekdaysOnly: boolean;
  readonly isWholeWeek: boolean;
  readonly usesHistory: boolean;
  readonly arms: readonly AbArm[];
  readonly pairs: readonly AbPair[];
  readonly objection: Objection | null;
  readonly cautions: readonly AbCaution[];
}

/** An arm against the control. */
export interface AbPair {
  readonly model: string;
  readonly unit: AbRead['unit'];
  /** The anchor: all rewards per user, or rewards per request of a request split. */
  readonly whole: Contrast;
  /** A sharper form, and what it is of; undefined if it is not in use. */
  readonly sharper?: { readonly of: 'named' | 'per_request'; readonly form: Contrast } | undefined;
  /** Users of the smaller arm. */
  readonly leastUsers: number;
}
