import type { FeatureQuestion } from './output.js';
import { WHY_QUESTION } from './why/window-gaps.js';

/** What `evaluate` can be asked beside its numbers. */
export const QUESTIONS: readonly FeatureQuestion[] = [WHY_QUESTION as FeatureQuestion];
