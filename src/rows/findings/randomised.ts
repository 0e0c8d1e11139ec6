import type { WindowSnapshot } from '../../stream/snapshot.js';
import { percent, whole } from '../figures.js';
import type { Finding, WordsOf } from './finding.js';
import { say } from './sentence.js';

/** Whom randomised traffic reached. */
export function randomisedFindings({ randomized }: WindowSnapshot): Finding[] {
  const { users, positives, withoutPositive } = randomized;
  if (users === 0) return [];
  const figures = { users, positives, withoutPositive };
  return [{ code: 'randomized_reach', severity: 'note', subject: {}, figures }];
}

export const RANDOMISED_WORDS: WordsOf<'randomized_reach'> = {
  randomized_reach: ({ figures }) =>
    say`Randomised traffic reached ${whole(figures.users)} users and gave ${whole(figures.positives)} positive pairs; ${percent(figures.withoutPositive)} of the users have no positive interaction from it and so no part in ure.`,
};
