import type { Contrast } from '../../../estimators/evidence/per-user.js';
import type { Objection } from '../../evidence.js';
import type { AbAnswer } from '../../verdicts/answer.js';

declare module '../../../stream/feature-types.js' {
  interface WindowReports {
    /** Result of an A/B test before the verdict; undefined if the log contains none. */
    readonly abTest?: AbRead;
  }
}

/** Figures of an A/B test before the verdict. */
export interface AbRead extends Omit<AbAnswer, 'rule' | 'lifts' | 'refusal'> {
  readonly pairs: readonly AbPair[];
  readonly objection: Objection | null;
}

/** Comparison of an arm with the control. */
export interface AbPair {
  readonly model: string;
  readonly unit: AbRead['unit'];
  /**
   * Anchor of the comparison, from all rewards: per user, or per request if requests were
   * randomised.
   */
  readonly whole: Contrast;
  /**
   * A sharper form, which must agree with the anchor, and its kind: rewards with list ids, or per
   * request. Undefined if it is not in use.
   */
  readonly sharper?:
    | {
        readonly of: 'named' | 'per_request';
        readonly form: Contrast;
      }
    | undefined;
  /** Users of the smaller arm. */
  readonly leastUsers: number;
}
