/**
 * How to treat estimates that rest on interactions driven by recommendations: do not report them,
 * report them with a caution, or do not determine causes.
 */
export const FEEDBACK_MODES = ['withhold', 'caution', 'ignore'] as const;

export type FeedbackMode = (typeof FEEDBACK_MODES)[number];

/** Whether the causes of interactions are to be determined. */
export function isFollowed({ feedback }: { readonly feedback?: FeedbackMode }): boolean {
  return feedback !== undefined && feedback !== 'ignore';
}
