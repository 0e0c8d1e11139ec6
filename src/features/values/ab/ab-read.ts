import type { Contrast } from '../../../estimators/evidence/per-user.js';
import type { Objection } from '../../evidence.js';
import type { AbAnswer } from '../../verdicts/answer.js';

declare module '../../../stream/feature-types.js' {
  interface WindowReports {
    /** Result of an A/B test before the verdict; undefined if the log contains no test. */
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
   * Anchor of the comparison: the difference in all rewards, per user or, if requests were
   * randomised, per request.
   */
  readonly whole: Contrast;
  /**
   * A sharper form, which must agree with the anchor. `named` counts only rewards with list ids;
   * `per_request` counts rewards per request. Undefined if no sharper form is in use.
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
