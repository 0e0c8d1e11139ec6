import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { percent, whole } from '../figures.js';
import { listed } from '../words.js';
import type { Finding, WordsOf } from './finding.js';
import { say } from './sentence.js';
import { NOTABLE_SHARE } from './thresholds.js';

/** Whom the numbers are of: pairs without a list, users that differ from model to model. */
export function coverageFindings({ models, referenceAway }: WindowSnapshot): Finding[] {
  if (models.length === 0) {
    return [{ code: 'nothing_evaluated', severity: 'problem', subject: {}, figures: {} }];
  }
  const unrankedPairs = models.flatMap(({ model, events, unranked }): Finding[] => {
    const share = unranked / (events + unranked);
    if (!(share >= NOTABLE_SHARE)) return [];
    const subject = { models: [model] };
    return [{ code: 'unranked_pairs', severity: 'caution', subject, figures: { share, unranked } }];
  });
  return [...away(referenceAway), ...unrankedPairs, ...differentUsers(models)];
}

/** Their lists come, and nothing is said about them. */
export function modelsLeftOutFindings({
  modelsLeftOut,
}: Pick<Snapshot, 'modelsLeftOut'>): Finding[] {
  if (modelsLeftOut === undefined) return [];
  const { models, names } = modelsLeftOut;
  return [
    { code: 'models_full', severity: 'caution', subject: { models: names }, figures: { models } },
  ];
}

/** Without it nothing is compared, which looks like models that are alike. */
function away(reference: string | undefined): Finding[] {
  if (reference === undefined) return [];
  const subject = { models: [reference] };
  return [{ code: 'reference_away', severity: 'caution', subject, figures: {} }];
}

/** Named are the models at the ends. */
function differentUsers(models: WindowSnapshot['models']): Finding[] {
  const bySize = [...models].sort((a, b) => a.users - b.users);
  const [least, most] = [bySize[0], bySize[bySize.length - 1]];
  if (least.users >= most.users * (1 - NOTABLE_SHARE)) return [];
  const subject = { models: [least.model, most.model] };
  const figures = { least: least.users, most: most.users };
  return [{ code: 'different_users', severity: 'caution', subject, figures }];
}

export const COVERAGE_WORDS: WordsOf<
  'nothing_evaluated' | 'reference_away' | 'models_full' | 'unranked_pairs' | 'different_users'
> = {
  nothing_evaluated: () => say`No model has a list here: nothing is evaluated.`,
  reference_away: ({ subject: { models = [] } }) =>
    say`No list is of ${{ name: models[0] }}, the model that others are to be compared with: there are no differences.`,
  models_full: ({ subject: { models = [] }, figures }) => {
    const names = models.map((name) => ({ name }));
    const others = figures.models - names.length;
    const who = others > 0 ? [...names, `${whole(others)} more`] : names;
    return say`There are more models than may be evaluated (models.max): nothing is said about ${listed(who)}.`;
  },
  unranked_pairs: ({ subject: { models = [] }, figures }) =>
    say`${percent(figures.share)} of the positive pairs have no list of ${{ name: models[0] }} and are not in its numbers; the rest may not be typical.`,
  different_users: ({ subject: { models = [] }, figures }) =>
    say`The models are evaluated on different users: ${{ name: models[0] }} ${whole(figures.least)} and ${{ name: models[1] }} ${whole(figures.most)}.`,
};
