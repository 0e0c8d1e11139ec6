import type { DraftManifest } from '../../export/manifest.js';
import { decimal, percent, whole } from '../figures.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import {
  FAR_FROM_WEIGHTS,
  FEW_ROWS,
  HEAVY_ROW,
  MANY_REPEATED,
  NOTABLE_SHARE,
} from './thresholds.js';

/** Findings about an exported test set, to be read before it is used; cautions come first. */
export function setFindings(set: DraftManifest): Finding[] {
  return [...cautions(set), ...notes(set)];
}

function cautions({ plan, weights, counts, raking, sources }: DraftManifest): Finding[] {
  const found: Finding[] = [];
  const common = {
    severity: 'caution',
    subject: {},
  } as const;
  if (counts.drawn < FEW_ROWS) {
    const figures = {
      rows: counts.drawn,
      least: FEW_ROWS,
    };
    found.push({
      code: 'few_rows',
      ...common,
      figures,
    });
  }
  if (weights.largestShare > HEAVY_ROW) {
    found.push({
      code: 'heavy_row',
      ...common,
      figures: { share: weights.largestShare },
    });
  }
  const unknown = counts.zeroWeight / counts.sampled;
  if (plan.propensities !== undefined && unknown > 0) {
    const severity = unknown > NOTABLE_SHARE ? 'caution' : 'note';
    const figures = { share: unknown };
    found.push({
      code: 'pairs_without_propensity',
      ...common,
      severity,
      figures,
    });
  }
  const partitions = sources
    .map((source) => (source.kind === 'kafka' ? source.missing.length : 0))
    .reduce((sum, missing) => sum + missing, 0);
  if (partitions > 0) {
    found.push({
      code: 'log_cut_short',
      ...common,
      figures: { partitions },
    });
  }
  if (raking?.isDamped) {
    const { components } = raking;
    found.push({
      code: 'margins_out_of_reach',
      ...common,
      figures: { components },
    });
  }
  return found;
}

function notes({ weights, counts, items }: DraftManifest): Finding[] {
  const found: Finding[] = [];
  const common = {
    severity: 'note',
    subject: {},
  } as const;
  const before = items.before.gini;
  const expected = items.expected.gini;
  if (expected > before) {
    found.push({
      code: 'items_less_even',
      ...common,
      figures: { before, expected },
    });
  }
  const { distance } = weights;
  if (distance > FAR_FROM_WEIGHTS) {
    found.push({
      code: 'set_off_weights',
      ...common,
      figures: { distance },
    });
  }
  const share = counts.leftOut.repeated / counts.interactions;
  if (share > MANY_REPEATED) {
    found.push({
      code: 'repeated_pairs',
      ...common,
      figures: { share },
    });
  }
  return found;
}

export const SET_WORDS = {
  few_rows: ({ figures }) =>
    say`The set has only ${whole(figures.rows)} rows, too few to tell models apart.`,
  heavy_row: ({ figures }) =>
    say`A single row carries ${percent(figures.share, 1)} of the weight. Check the users and items with the lowest counts (or, with a file of propensities, the pairs with the lowest propensity), or raise the smoothing.`,
  log_cut_short: () =>
    say`Kafka had already deleted the beginning of the time range, so the set lacks those events.`,
  pairs_without_propensity: ({ figures }) =>
    say`The propensities file has no propensity for ${percent(figures.share, 1)} of the pairs, because their users, items or values are newer. The set leaves these pairs out. Learn the file again.`,
  items_less_even: ({ figures }) =>
    say`The set is more concentrated on few items than the log: Gini ${decimal(figures.expected, 3)} expected in the set, ${decimal(figures.before, 3)} in the log. If interactions are spread evenly over items already, the weights overcorrect. Use skew or a lower exponent.`,
  set_off_weights: ({ figures }) =>
    say`The set follows its weights only in part (total variation distance ${decimal(figures.distance, 2)}). Draw a smaller share of the rows to follow them more closely.`,
  repeated_pairs: () =>
    say`More than half of the interactions repeat a pair of user and item, and each pair counts once. So the set says who interacts with what, not how often.`,
} satisfies Words;
