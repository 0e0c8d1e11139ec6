import { mayNamesMiss } from '../../estimators/feedback/unnamed-share.js';
import { DOUBTFUL_ABOVE } from '../../estimators/feedback/verdict.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { FeedbackReport } from '../../estimators/results/window-estimates.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { percent, whole } from '../figures.js';
import { codeOf, isDoubtful, isGiven, ofLeadingForm, reasonOf } from '../reading.js';
import { listed } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { FEW_USERS } from './thresholds.js';

/** Findings about interactions driven by recommendations; none if they are not identified. */
export function feedbackFindings({ feedback, results }: WindowSnapshot): Finding[] {
  if (feedback === undefined) return [];
  const { source, caused: share, uncaused } = feedback;
  const circular = circularRows(uncaused?.results ?? results);
  const drawn = ownRandomLists(results);
  if (source === 'unknown') {
    return [
      ...drawn,
      ...circular,
      ...servedUnknown(feedback, results),
      {
        code: 'cause_unknown',
        severity: 'caution',
        subject: {},
        figures: {},
      },
    ];
  }
  const withheld = results.filter((row) => !isGiven(row) && !drewItself(row));
  const isUncertain = isShareUncertain(feedback);
  const byLists = withheld.some((row) => reasonOf(row) === 'caused_by_lists');
  const found: Finding[] = [];
  if (results.some((row) => codeOf(row, 'caution') === 'caused_by_lists')) {
    found.push({
      code: 'caused_too_much',
      severity: 'problem',
      subject: {},
      figures: { share },
    });
  }
  if (byLists) {
    found.push({
      code: 'caused_by_lists',
      severity: 'problem',
      subject: {},
      figures: { share },
    });
  }
  found.push(...ownLists(withheld), ...circular);
  if (found.length > 0 && source === 'named' && circular.length === 0) {
    const leading = ofLeadingForm(uncaused?.results ?? []);
    const users = Math.max(0, ...leading.map(({ ess }) => ess));
    if (users < FEW_USERS) {
      const figures = {
        users,
        least: FEW_USERS,
      };
      found.push({
        code: 'few_uncaused',
        severity: 'problem',
        subject: {},
        figures,
      });
    } else {
      found.push({
        code: 'uncaused_given',
        severity: 'note',
        subject: {},
        figures: { users },
      });
    }
  }
  found.push(...drawn);
  const models = modelsOf(results.filter((row) => isDoubtful(row) && !drewItself(row)));
  found.push(...ofArms(feedback, isUncertain && !byLists));
  if (models.length > 0 && !(isUncertain && source === 'arms')) {
    const subject = { models };
    found.push({
      code: 'caused_in_part',
      severity: 'caution',
      subject,
      figures: { share },
    });
  }
  return found;
}

/**
 * Report served models that are compared with other models, if it is unknown how many interactions
 * their lists drove. These interactions put served models ahead.
 */
function servedUnknown(
  { served }: Pick<FeedbackReport, 'served'>,
  results: readonly EstimateRow[],
): Finding[] {
  const evaluated = modelsOf(results);
  const models = served.filter((model) => evaluated.includes(model));
  if (models.length === 0 || evaluated.length < 2) return [];
  return [
    {
      code: 'served_unknown',
      severity: 'problem',
      subject: { models },
      figures: {},
    },
  ];
}

/**
 * Whether it is uncertain if lists drove more than a small share of interactions. The share is
 * known from list ids or estimated from served lists.
 */
function isShareUncertain({ source, lower, upper, arms }: FeedbackReport): boolean {
  if (source === 'named') return mayNamesMiss(arms);
  return lower <= DOUBTFUL_ABOVE && upper > DOUBTFUL_ABOVE;
}

/**
 * Findings about a share of driven interactions that was estimated from which lists were served.
 */
function ofArms({ source, named, arms, lower, upper }: FeedbackReport, isOpen: boolean): Finding[] {
  const found: Finding[] = [];
  if (source === 'arms' && named > 0 && arms !== null) {
    const figures = {
      named,
      unnamed: arms.caused,
    };
    found.push({
      code: 'names_incomplete',
      severity: 'caution',
      subject: {},
      figures,
    });
  }
  if (isOpen) {
    const figures = { lower, upper };
    found.push({
      code: 'cause_uncertain',
      severity: 'caution',
      subject: {},
      figures,
    });
  }
  return found;
}

/**
 * Report circular estimates: nearly all interactions without a list id are on items that were in
 * served lists.
 */
function circularRows(results: readonly EstimateRow[]): Finding[] {
  if (!results.some((row) => row.reasons.some(({ code }) => code === 'circular'))) return [];
  return [
    {
      code: 'circular',
      severity: 'problem',
      subject: {},
      figures: {},
    },
  ];
}

const OF_ALL: ReadonlySet<string | null> = new Set(['caused_by_lists', 'circular']);

/**
 * Report each model with estimates that are withheld because the model's own lists drove too many
 * of the interactions.
 */
function ownLists(withheld: readonly EstimateRow[]): Finding[] {
  const own = withheld.filter((row) => !OF_ALL.has(reasonOf(row)));
  return modelsOf(own).map((model): Finding => {
    const share = Math.max(
      ...own.filter((row) => row.model === model).map((row) => row.more.own ?? 0),
    );
    const subject = { models: [model] };
    return {
      code: 'own_lists',
      severity: 'problem',
      subject,
      figures: { share },
    };
  });
}

function drewItself(row: EstimateRow): boolean {
  return row.reasons.some(({ code }) => code === 'own_random_lists');
}

/**
 * Report models that served the random lists themselves. Clicks on such lists are on items of the
 * model's own list by construction, so they do not measure the model.
 */
function ownRandomLists(results: readonly EstimateRow[]): Finding[] {
  const models = modelsOf(results.filter(drewItself));
  if (models.length === 0) return [];
  return [
    {
      code: 'own_random_lists',
      severity: 'note',
      subject: { models },
      figures: {},
    },
  ];
}

function modelsOf(rows: readonly EstimateRow[]): string[] {
  return [...new Set(rows.map(({ model }) => model))];
}

export const FEEDBACK_WORDS = {
  cause_unknown: () =>
    say`No click has its list’s id, so clicks driven by lists can’t be separated from organic ones. Send the list’s id in \`exposure\` with each click, or split users between two models.`,
  served_unknown: ({ subject: { models = [] } }) =>
    say`Don’t compare ${listed(models.map((name) => ({ name })))} with other models: served lists drive clicks, and no click has its list’s id. Send the list’s id in \`exposure\` with each click, or split users between two models.`,
  caused_too_much: ({ figures }) =>
    say`Served lists drove ${percent(figures.share)} of the positive interactions. A share above 10 % can change even the order of the models. Estimates are still reported, because \`estimates.feedback\` is set to caution.`,
  cause_uncertain: ({ figures }) =>
    say`Served lists drove between ${percent(figures.lower)} and ${percent(figures.upper)} of the positive interactions. The log has too few lists to say more exactly. Use a longer log, or send the list’s id in \`exposure\` with each click.`,
  names_incomplete: ({ figures }) =>
    say`Only ${percent(figures.named)} of clicks have their list’s id, and lists drove about ${percent(figures.unnamed)} of the others. So organic interactions cannot be told apart, and reward per list is underestimated. Send the id in \`exposure\` with each click.`,
  caused_by_lists: ({ figures }) =>
    say`Served lists drove ${percent(figures.share)} of the positive interactions, which favours the models that were served. Estimates with more than 10 % of their weight on these interactions are not reported.`,
  circular: () =>
    say`Nearly all clicks without a list’s id are on items of served lists, so recall and similar metrics measure what was shown, not what users like. Send the list’s id in \`exposure\` with each click, or split users between two models.`,
  own_lists: ({ subject: { models = [] }, figures }) =>
    say`Estimates of ${{ name: models[0] }} from all clicks are not reported: clicks on its own lists raise them by more than 10 %. Such clicks carry up to ${percent(figures.share)} of the weight.`,
  own_random_lists: ({ subject: { models = [] } }) =>
    say`Randomised traffic cannot evaluate ${listed(models.map((name) => ({ name })))}, which served random lists itself: every click on them is on an item of the model’s own list.`,
  caused_in_part: ({ figures, subject: { models = [] } }) =>
    say`Served lists drove ${percent(figures.share)} of the positive interactions, which makes ${models.length === 1 ? 'one model look too good: it served these lists or resembles the model that did' : `${whole(models.length)} models look too good: they served these lists or resemble the models that did`}.`,
  few_uncaused: ({ figures }) =>
    say`Only ${whole(figures.users)} effective users have organic interactions. At least ${whole(figures.least)} are needed to report estimates from organic interactions instead.`,
  uncaused_given: ({ figures }) =>
    say`Estimates use organic interactions instead, from up to ${whole(figures.users)} effective users.`,
} satisfies Words;
