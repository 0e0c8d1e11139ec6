import type { EventKind } from '../../state/panes/pane-users.js';
import type { SpreadUsers, UserPartitions } from '../../state/panes/user-partitions.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { percent, whole } from '../figures.js';
import { instant } from '../times.js';
import type { Finding, WordsOf } from './finding.js';
import { say } from './sentence.js';
import { FEW_SPLIT, SPLIT_SHARE } from './thresholds.js';

/** By which events users are seen in several partitions. */
export const SPLIT_BY = ['exposures', 'interactions', 'both'] as const;
export type SplitBy = EventKind | 'both';

/** Users of a sample who were seen in several partitions, as far as that is worth a word. */
export interface SplitUsers {
  readonly by: SplitBy;
  readonly users: number;
  readonly several: number;
  readonly share: number;
  /** When they moved, event time, ms; null if they are in several all the time. */
  readonly movedAt: number | null;
}

/** What is clearest of it; undefined where users live in one partition each. */
export function splitUsers(homes: UserPartitions | undefined): SplitUsers | undefined {
  if (homes === undefined) return undefined;
  const found = SPLIT_BY.map((by) => ({ by, share: shareOf(homes[by]), ...homes[by] }))
    .filter(({ several, share }) => several >= FEW_SPLIT && share > SPLIT_SHARE)
    .sort((a, b) => b.share - a.share);
  return found.length === 0 ? undefined : { ...found[0], movedAt: homes.movedAt };
}

/** Of the users of a sample; 0 of nobody. */
export function shareOf({ users, several }: SpreadUsers): number {
  return users === 0 ? 0 : several / users;
}

/** Users that the numbers take for several. */
export function splitUserFindings({ homes }: Pick<Snapshot, 'homes'>): Finding[] {
  const split = splitUsers(homes);
  if (split === undefined) return [];
  const { by, users, several, share, movedAt } = split;
  const figures = { users, several, share };
  if (movedAt !== null) {
    const moved = { ...figures, movedAt };
    return [{ code: 'users_moved', severity: 'caution', subject: {}, figures: moved }];
  }
  return [{ code: 'users_split', severity: 'problem', subject: {}, figures, reason: by }];
}

/** What users are seen by, and what that comes from. */
export const SPLIT_WORDS: Readonly<Record<SplitBy, string>> = {
  exposures: 'have lists in several partitions',
  interactions: 'have interactions in several partitions',
  both: 'have their lists in one partition and their interactions in another',
};

/** A reason as it stands in a finding or a state. */
export function splitWords(reason: string | undefined): string {
  return SPLIT_WORDS[reason as SplitBy] ?? SPLIT_WORDS.both;
}

export const SPLIT_USER_WORDS: WordsOf<'users_split' | 'users_moved'> = {
  users_split: ({ figures, reason }) =>
    say`${percent(figures.share)} of the users (${whole(figures.several)} of a sample of ${whole(figures.users)}) ${splitWords(reason)}, so each of them counts as several users who know nothing of each other’s lists. Records have to be keyed by user, and both topics divided in the same way.`,
  users_moved: ({ figures }) =>
    say`${percent(figures.share)} of the users moved to other partitions at about ${instant(figures.movedAt)}, as they do when partitions are added. Until the longest window and attribution.ttl have passed since then they count twice, and what they did after it is not ranked in lists of before.`,
};
