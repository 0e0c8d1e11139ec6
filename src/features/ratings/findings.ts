import { ABSOLUTE } from '../../estimators/names.js';
import { percent, whole } from '../../rows/figures.js';
import type { Finding, FindingCode, Words } from '../../rows/findings/finding.js';
import { comparisonFindings } from '../../rows/findings/propensities.js';
import { say } from '../../rows/findings/sentence.js';
import {
  DRIFTED_MARGINS,
  NOTABLE_SHARE,
  OFF_PAIRS,
  STALE_PROPENSITIES_DAYS,
} from '../../rows/findings/thresholds.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { PropensityFileReport, RatingsReport } from './rating-report.js';

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode {
    propensities_unknown: {
      share: number;
      users: number;
      items: number;
      values: number;
    };
    propensities_stale: { days: number };
    item_margins_drifted: {
      distance: number;
      chance: number;
    };
    value_margins_drifted: {
      distance: number;
      chance: number;
    };
  }
}

const DAY_MS = 86_400_000;

/** Findings about the propensities file of ratings; none without a file. */
export function ratingFileFindings({ ratings }: WindowSnapshot): Finding[] {
  const file = ratings?.propensity.file;
  if (ratings === undefined || file === undefined) return [];
  return [
    ...unknownPairs(file, ratings.counts.rated),
    ...staleFile(file),
    ...driftedMargins(file),
    ...offPairs(ratings),
    ...comparisonFindings(file.comparison),
  ];
}

const RATING_FILE_CODES: ReadonlySet<FindingCode> = new Set([
  'propensities_unknown',
  'propensities_stale',
  'item_margins_drifted',
  'value_margins_drifted',
  'propensities_agree',
  'propensities_disagree',
  'propensities_off_pairs',
]);

/** Whether a finding is about the propensities file, and so concerns rating metrics only. */
export function isOfRatingFile(code: FindingCode): boolean {
  return RATING_FILE_CODES.has(code);
}

function unknownPairs({ unknown }: PropensityFileReport, rated: number): Finding[] {
  const { users, items, values } = unknown;
  const share = (users + items + values) / rated;
  if (!(share > 0)) return [];
  const severity = share > NOTABLE_SHARE ? 'caution' : 'note';
  const figures = {
    share,
    users,
    items,
    values,
  };
  return [
    {
      code: 'propensities_unknown',
      severity,
      subject: {},
      figures,
    },
  ];
}

/**
 * Finding that the weights do not add up to the number of pairs, which affects ips; empty if they
 * add up. The weights come from P, the probability of a rating over the whole period that P was
 * learned from. In a shorter window users rate less.
 */
function offPairs({ estimates, propensity: { weightShare: ratio } }: RatingsReport): Finding[] {
  const isAsked = estimates.some(({ estimator }) => estimator === ABSOLUTE);
  if (!isAsked || !(Math.abs(ratio - 1) > OFF_PAIRS)) return [];
  return [
    {
      code: 'propensities_off_pairs',
      severity: 'caution',
      subject: {},
      figures: { ratio },
    },
  ];
}

function staleFile({ ageMs }: PropensityFileReport): Finding[] {
  const days = ageMs / DAY_MS;
  if (!(days > STALE_PROPENSITIES_DAYS)) return [];
  return [
    {
      code: 'propensities_stale',
      severity: 'caution',
      subject: {},
      figures: { days },
    },
  ];
}

function driftedMargins({ drift }: PropensityFileReport): Finding[] {
  if (drift === null || !(drift.distance - drift.byChance > DRIFTED_MARGINS)) return [];
  const { distance, byChance: chance } = drift;
  const code = drift.of === 'items' ? 'item_margins_drifted' : 'value_margins_drifted';
  return [
    {
      code,
      severity: 'caution',
      subject: {},
      figures: { distance, chance },
    },
  ];
}

/** Texts of the findings about the propensities file. */
export const RATING_FILE_WORDS = {
  propensities_unknown: ({ figures }) =>
    say`The propensities file does not cover ${percent(figures.share, 1)} of the rated pairs, and corrected estimates leave them out. It lacks the user of ${whole(figures.users)} pairs, the item of ${whole(figures.items)} and the value of ${whole(figures.values)}. Learn the file again.`,
  propensities_stale: ({ figures }) =>
    say`The newest rating that the propensities file was learned from is ${whole(figures.days)} days old. Who rates what may have changed since. Learn the file again.`,
  item_margins_drifted: ({ figures }) =>
    say`Ratings are on other items than the propensities file expects: ${percent(figures.distance, 1)} of them would have to be on other items to match the file, and chance explains at most ${percent(figures.chance, 1)}. Learn the file again.`,
  value_margins_drifted: ({ figures }) =>
    say`Users give other rating values than when the propensities file was learned: ${percent(figures.distance, 1)} of the ratings would have to be different to match the file, and chance explains at most ${percent(figures.chance, 1)}. Learn the file again.`,
} satisfies Words;
