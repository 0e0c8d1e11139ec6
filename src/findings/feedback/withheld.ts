import type { Estimate } from '../../estimators/results/estimate.js';
import { percent, whole } from '../../figures/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { Finding, WordsOf } from '../finding.js';
import { say } from '../sentence.js';
import { FEW_USERS } from '../thresholds.js';

/** How far the numbers rest on interactions that shown lists caused; nothing where causes are not followed. */
export function feedbackFindings({ feedback, results }: WindowSnapshot): Finding[] {
  if (feedback === undefined) return [];
  const { source, caused: share, uncaused } = feedback;
  if (source === 'unknown') {
    return [{ code: 'cause_unknown', severity: 'caution', subject: {}, figures: {} }];
  }
  const withheld = results.filter((row) => (row.withheld ?? null) !== null);
  const byLists = withheld.some((row) => row.withheld === 'caused_by_lists');
  const found: Finding[] = [];
  if (byLists) {
    found.push({ code: 'caused_by_lists', severity: 'problem', subject: {}, figures: { share } });
  }
  found.push(...ownLists(withheld));
  if (found.length > 0 && source === 'named') {
    const users = Math.max(0, ...(uncaused?.results ?? []).map(({ ess }) => ess));
    if (users < FEW_USERS) {
      const figures = { users, least: FEW_USERS };
      found.push({ code: 'few_uncaused', severity: 'problem', subject: {}, figures });
    } else
      found.push({ code: 'uncaused_given', severity: 'note', subject: {}, figures: { users } });
  }
  const models = modelsOf(results.filter(({ isDoubtful }) => isDoubtful === true));
  if (models.length > 0) {
    const subject = { models };
    found.push({ code: 'caused_in_part', severity: 'caution', subject, figures: { share } });
  }
  return found;
}

/** Models of which something is withheld for their own lists alone. */
function ownLists(withheld: readonly Estimate[]): Finding[] {
  const own = withheld.filter((row) => row.withheld !== 'caused_by_lists');
  return modelsOf(own).map((model): Finding => {
    const share = Math.max(...own.filter((row) => row.model === model).map((row) => row.own ?? 0));
    const subject = { models: [model] };
    return { code: 'own_lists', severity: 'problem', subject, figures: { share } };
  });
}

function modelsOf(rows: readonly Estimate[]): string[] {
  return [...new Set(rows.map(({ model }) => model))];
}

export const FEEDBACK_WORDS: WordsOf<
  | 'cause_unknown'
  | 'caused_by_lists'
  | 'own_lists'
  | 'caused_in_part'
  | 'few_uncaused'
  | 'uncaused_given'
> = {
  cause_unknown: () =>
    say`It is not known which interactions the shown lists caused: none names an exposure, and no two models were served in turn.`,
  caused_by_lists: ({ figures }) =>
    say`Shown lists caused ${percent(figures.share)} of the positive pairs: estimates that rest on more than 10 % of such pairs are withheld, because a shown list proves itself right by the clicks it causes.`,
  own_lists: ({ subject: { models = [] }, figures }) =>
    say`Estimates of ${{ name: models[0] }} are withheld: up to ${percent(figures.share)} of their weight lies on pairs that its own lists caused, and lifts them by more than a tenth.`,
  caused_in_part: ({ figures, subject: { models = [] } }) =>
    say`Shown lists caused ${percent(figures.share)} of the positive pairs, which flatters the models that made them and those like them (${whole(models.length)} of the models here).`,
  few_uncaused: ({ figures }) =>
    say`Only ${whole(figures.users)} effective users found anything by themselves, fewer than ${whole(figures.least)}: too few to replace what is withheld.`,
  uncaused_given: ({ figures }) =>
    say`They are replaced by what users found by themselves, from up to ${whole(figures.users)} effective users.`,
};
