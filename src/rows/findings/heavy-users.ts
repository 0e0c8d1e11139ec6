import type { Snapshot } from '../../stream/snapshot.js';
import { percent, whole } from '../figures.js';
import { listed } from '../words.js';
import type { Finding, WordsOf } from './finding.js';
import { say } from './sentence.js';

/** The sentence names no more; the subject has those that the snapshot names. */
const MOST_IN_WORDS = 5;

/** Users who may be crawlers; nothing where they are not looked at. */
export function heavyUserFindings({ heavyUsers }: Pick<Snapshot, 'heavyUsers'>): Finding[] {
  if (heavyUsers === undefined || heavyUsers.apart === 0) return [];
  const { apart: users, apartShare: share, median, named } = heavyUsers;
  const subject = { users: named.map(({ user }) => user) };
  return [{ code: 'users_apart', severity: 'caution', subject, figures: { users, share, median } }];
}

export const HEAVY_USER_WORDS: WordsOf<'users_apart'> = {
  users_apart: ({ subject: { users = [] }, figures }) => {
    const names = users.slice(0, MOST_IN_WORDS).map((name) => ({ name }));
    const others = figures.users - names.length;
    const who = others > 0 ? [...names, `${whole(others)} more`] : names;
    const are = figures.users === 1 ? 'One user has' : `${whole(figures.users)} users have`;
    return say`${are} ${percent(figures.share)} of all interactions, each at least 20 times as many as the median user (${whole(figures.median)}): ${listed(who)}. No estimate counts them, and a cap (popularity.userCap) limits what each of them makes popular. If they are crawlers, keep them out of the log.`;
  },
};
