import { UNCORRECTED } from '../../estimators/names.js';
import type { EventKind } from '../../state/panes/pane-users.js';
import type { SpreadUsers, UserPartitions } from '../../state/panes/user-partitions.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { percent, whole } from '../figures.js';
import { instant } from '../times.js';
import { listed } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { FEW_SPLIT, NOTABLE_SHARE, SPLIT_SHARE } from './thresholds.js';

/**
 * Kinds of events by which a user is found in several partitions. `exposures`: the user's exposures
 * alone are in several; `interactions`: the interactions alone are; `both`: the exposures and the
 * interactions are in different partitions.
 */
export const SPLIT_BY = ['exposures', 'interactions', 'both'] as const;
export type SplitBy = EventKind | 'both';

/**
 * How many of the sampled users have events in several partitions. The service counts each of them
 * as several users.
 */
export interface SplitUsers {
  readonly by: SplitBy;
  readonly users: number;
  readonly several: number;
  readonly share: number;
  /**
   * Event time at which the users moved to other partitions, ms. Null if the users have events in
   * several partitions all the time.
   */
  readonly movedAt: number | null;
}

/**
 * Find the kind of events for which the largest share of users is in several partitions. Undefined
 * if the share is small for every kind.
 */
export function splitUsers(homes: UserPartitions | undefined): SplitUsers | undefined {
  if (homes === undefined) return undefined;
  const found = SPLIT_BY.map((by) => ({
    by,
    share: shareOf(homes[by]),
    ...homes[by],
  }))
    .filter(({ several, share }) => several >= FEW_SPLIT && share > SPLIT_SHARE)
    .sort((a, b) => b.share - a.share);
  return found.length === 0
    ? undefined
    : {
        ...found[0],
        movedAt: homes.movedAt,
      };
}

/** Share of the sampled users whose events are in several partitions; 0 without users. */
export function shareOf({ users, several }: SpreadUsers): number {
  return users === 0 ? 0 : several / users;
}

/** Findings about users who count as several because their events are in several partitions. */
export function splitUserFindings({ homes }: Pick<Snapshot, 'homes'>): Finding[] {
  const split = splitUsers(homes);
  if (split === undefined) return [];
  const { by, users, several, share, movedAt } = split;
  const figures = {
    users,
    several,
    share,
  };
  if (movedAt !== null) {
    const moved = {
      ...figures,
      movedAt,
    };
    return [
      {
        code: 'users_moved',
        severity: 'caution',
        subject: {},
        figures: moved,
      },
    ];
  }
  return [
    {
      code: 'users_split',
      severity: 'problem',
      subject: {},
      figures,
      reason: by,
    },
  ];
}

/** Findings about users who have got new pseudonyms, and so count as other users. */
export function renamedUserFindings({ renamedAt }: Pick<WindowSnapshot, 'renamedAt'>): Finding[] {
  if (renamedAt === undefined) return [];
  return [
    {
      code: 'users_renamed',
      severity: 'caution',
      subject: {},
      figures: { renamedAt },
    },
  ];
}

/** Words for users in several partitions, by the kind of their events. */
export const SPLIT_WORDS: Readonly<Record<SplitBy, string>> = {
  exposures: 'have lists in several partitions',
  interactions: 'have interactions in several partitions',
  both: 'have lists in one partition and interactions in another',
};

/** Words for users in several partitions, by the `reason` of a finding or state. */
export function splitWords(reason: string | undefined): string {
  return SPLIT_WORDS[reason as SplitBy] ?? SPLIT_WORDS.both;
}

export const SPLIT_USER_WORDS = {
  users_split: ({ figures, reason }) =>
    say`${percent(figures.share)} of users (${whole(figures.several)} of a sample of ${whole(figures.users)}) ${splitWords(reason)}, so each of them counts as several users. Key both topics by user and partition them in the same way.`,
  users_renamed: ({ figures }) =>
    say`Users got new pseudonyms at ${instant(figures.renamedAt)}, so users seen both before and after it count twice. Most numbers are right again when the window and attribution.ttl have passed since then. Estimates that weight by users are right again after popularity.horizon.`,
  users_moved: ({ figures }) =>
    say`${percent(figures.share)} of users moved to other partitions at about ${instant(figures.movedAt)}, as happens when partitions are added, so they count twice. Numbers are right again when the longest window and attribution.ttl have passed since then.`,
} satisfies Words;

/**
 * Maximum number of users named in the sentence. The subject has all users that the snapshot names.
 */
const MOST_IN_WORDS = 5;

/**
 * Findings about users with so many interactions that they may be crawlers; none if
 * `popularity.userCap` is 0.
 */
export function heavyUserFindings({ heavyUsers }: Pick<Snapshot, 'heavyUsers'>): Finding[] {
  if (heavyUsers === undefined || heavyUsers.apart === 0) return [];
  const { apart: users, apartShare: share, median, named } = heavyUsers;
  const subject = { users: named.map(({ user }) => user) };
  return [
    {
      code: 'users_apart',
      severity: 'caution',
      subject,
      figures: {
        users,
        share,
        median,
      },
    },
  ];
}

export const HEAVY_USER_WORDS = {
  users_apart: ({ subject: { users = [] }, figures }) => {
    const names = users.slice(0, MOST_IN_WORDS).map((name) => ({ name }));
    const others = figures.users - names.length;
    const who = others > 0 ? [...names, `${whole(others)} more`] : names;
    const [are, each] =
      figures.users === 1
        ? ['One user has', 'This is']
        : [`${whole(figures.users)} users have`, 'Each has'];
    return say`${are} ${percent(figures.share)} of all interactions: ${listed(who)}. ${each} at least 20 times as many as the median user (${whole(figures.median)}). Estimates leave them out, and popularity.userCap limits how many of their interactions count towards popularity. If they are crawlers, filter them from the log.`;
  },
} satisfies Words;

/** Findings about the users that have randomised traffic. */
export function randomisedFindings({ randomized }: WindowSnapshot): Finding[] {
  const { users, positives, withoutPositive } = randomized;
  if (users === 0) return [];
  const figures = {
    users,
    positives,
    withoutPositive,
  };
  return [
    {
      code: 'randomized_reach',
      severity: 'note',
      subject: {},
      figures,
    },
  ];
}

export const RANDOMISED_WORDS = {
  randomized_reach: ({ figures }) =>
    say`Randomised traffic reached ${whole(figures.users)} users and gave ${whole(figures.positives)} positive pairs. ${percent(figures.withoutPositive)} of these users have no positive interaction from it, so ure leaves them out.`,
} satisfies Words;

/**
 * Findings about coverage: positive pairs without a list, and models evaluated on different users.
 */
export function coverageFindings(window: WindowSnapshot): Finding[] {
  const { models, referenceAway } = window;
  if (models.length === 0) {
    return [
      {
        code: 'nothing_evaluated',
        severity: 'problem',
        subject: {},
        figures: {},
      },
    ];
  }
  const differing = idsDiffer(window);
  if (differing.some(({ reason }) => reason === 'users')) return differing;
  const unrankedPairs = models.flatMap(({ model, events, unranked }): Finding[] => {
    const share = unranked / (events + unranked);
    if (!(share >= NOTABLE_SHARE)) return [];
    const subject = { models: [model] };
    return [
      {
        code: 'unranked_pairs',
        severity: 'caution',
        subject,
        figures: { share, unranked },
      },
    ];
  });
  return [...differing, ...away(referenceAway), ...unrankedPairs, ...differentUsers(models)];
}

/**
 * Minimum number of positive user-item pairs for `idsDiffer`. With fewer, it may be chance that no
 * pair matches a list.
 */
const MANY_PAIRS = 300;
/**
 * User ids are taken to differ if less than this fraction of the positive user-item pairs belongs
 * to users with a list.
 */
const HARDLY_ANY = 0.01;

/**
 * Report if exposures and interactions write ids differently. User ids differ if hardly any
 * positive user-item pair belongs to a user with a list of a served model. Item ids differ if no
 * list of a served model has a hit, and if the items on these lists have no organic interactions
 * within the popularity horizon.
 */
function idsDiffer(window: WindowSnapshot): Finding[] {
  const { models, averageRecommendationPopularity: shown } = window;
  const served = models.filter(({ model }) => Object.hasOwn(shown, model));
  if (served.length === 0) return [];
  const pairs = Math.max(...served.map(({ events, unranked }) => events + unranked));
  if (pairs < MANY_PAIRS) return [];
  const differ = (reason: 'users' | 'items'): Finding[] => [
    {
      code: 'ids_differ',
      severity: 'problem',
      subject: {},
      figures: { pairs },
      reason,
    },
  ];
  if (served.every(({ events }) => events < HARDLY_ANY * pairs)) return differ('users');
  const known = served.map(({ model }) => shown[model]!).filter((mean) => !Number.isNaN(mean));
  const hits = window.results.filter(
    ({ metric, estimator, model }) =>
      metric === 'recall' && estimator === UNCORRECTED && Object.hasOwn(shown, model),
  );
  const areNone = hits.length > 0 && hits.every(({ value }) => value === 0);
  return areNone && known.every((mean) => mean === 0) ? differ('items') : [];
}

/** Findings about models that send lists but exceed the limit of models, so are not evaluated. */
export function modelsLeftOutFindings({
  modelsLeftOut,
}: Pick<Snapshot, 'modelsLeftOut'>): Finding[] {
  if (modelsLeftOut === undefined) return [];
  const { models, names } = modelsLeftOut;
  return [
    {
      code: 'models_full',
      severity: 'caution',
      subject: { models: names },
      figures: { models },
    },
  ];
}

/**
 * Report that the reference model has no lists. Without them nothing is compared, which could be
 * mistaken for models without differences.
 */
function away(reference: string | undefined): Finding[] {
  if (reference === undefined) return [];
  const subject = { models: [reference] };
  return [
    {
      code: 'reference_away',
      severity: 'caution',
      subject,
      figures: {},
    },
  ];
}

/**
 * Report that models are evaluated on different users. The subject names the models with the fewest
 * and the most users.
 */
function differentUsers(models: WindowSnapshot['models']): Finding[] {
  const bySize = [...models].sort((a, b) => a.users - b.users);
  const least = bySize[0];
  const most = bySize[bySize.length - 1];
  if (least.users >= most.users * (1 - NOTABLE_SHARE)) return [];
  const subject = { models: [least.model, most.model] };
  const figures = {
    least: least.users,
    most: most.users,
  };
  return [
    {
      code: 'different_users',
      severity: 'caution',
      subject,
      figures,
    },
  ];
}

export const COVERAGE_WORDS = {
  ids_differ: ({ figures, reason }) =>
    reason === 'users'
      ? say`Hardly any of the ${whole(figures.pairs)} positive interactions comes from a user who was given a list. Check that lists and interactions use the same user ids.`
      : say`None of the ${whole(figures.pairs)} positive interactions is on an item of a served list. Check that lists and interactions use the same item ids.`,
  nothing_evaluated: () =>
    say`Nothing is evaluated, because no interaction comes from a user who was given a list. Check that lists come before interactions and use the same user ids.`,
  reference_away: ({ subject: { models = [] } }) =>
    say`The control ${{ name: models[0] }} has no lists, so nothing is compared with it. Log its lists, or correct comparisons.control.`,
  models_full: ({ subject: { models = [] }, figures }) => {
    const names = models.map((name) => ({ name }));
    const others = figures.models - names.length;
    const who = others > 0 ? [...names, `${whole(others)} more`] : names;
    return say`There are more models than models.max allows: ${listed(who)} ${figures.models === 1 ? 'is' : 'are'} not evaluated. Raise models.max, or log fewer models.`;
  },
  unranked_pairs: ({ subject: { models = [] }, figures }) =>
    say`${percent(figures.share)} of the positive interactions come from users without a list of ${{ name: models[0] }}. Its estimates leave these out, so they may be biased. Log its lists for all users.`,
  different_users: ({ subject: { models = [] }, figures }) =>
    say`Models are evaluated on different users: ${whole(figures.least)} for ${{ name: models[0] }}, ${whole(figures.most)} for ${{ name: models[1] }}. Log lists of all models for all users.`,
} satisfies Words;
