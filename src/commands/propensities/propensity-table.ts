import type { LogisticFigures } from '../../estimators/propensity/propensity-figures.js';
import type { NaiveBayesFile } from '../../estimators/propensity/propensity-file.js';
import { findingLines } from '../../outputs/text/finding-lines.js';
import { plainSpaces, wrapped } from '../../outputs/text/terminal.js';
import { compact, decimal, percent, whole } from '../../rows/figures.js';
import { propensityFindings } from '../../rows/findings/propensities.js';
import type { StoredPropensities } from './stored-propensities.js';

const NAME_WIDTH = 26;

/** Format the learned propensities, the figures of the fit, and the findings. */
export function propensityTable(stored: StoredPropensities, path: string): string {
  const { kind, version, date, counts, figures, model } = stored;
  const { weights, meanRating } = figures;
  const { random } = meanRating;
  const lines = [
    `${kind === 'nb' ? 'Naive Bayes' : 'Logistic regression'} on ${whole(counts.chosen)} ratings that users chose to give, and ${whole(counts.random)} of randomly drawn items`,
    `${whole(counts.users)} users × ${whole(counts.items)} items, version ${version}, newest rating ${date}`,
    '',
    ...(model.kind === 'nb' ? ratingLines(model) : []),
    row('Σ 1/P ÷ pairs', decimal(weights.inversePropensity, 4)),
    row('largest weight', compact(weights.largest)),
    row('effective ratings', whole(weights.ess)),
    row('mean rating, naive', decimal(meanRating.plain, 4)),
    row('  by SNIPS', decimal(meanRating.weighted, 4)),
    row('  by IPS', decimal(meanRating.overPairs, 4)),
    ...(random === null
      ? []
      : [
          row('  randomised ratings', `${decimal(random.value, 4)} ± ${decimal(random.stdErr, 4)}`),
        ]),
    ...(figures.fit === null ? [] : fitLines(figures.fit, model.kind === 'lr' ? model.l2 : 0)),
    '',
    ...findingLines(propensityFindings(figures, counts)).flatMap(wrapped),
    `in ${path}`,
  ];
  return `${plainSpaces(lines.join('\n'))}\n`;
}

function row(name: string, value: string): string {
  return `${name.padEnd(NAME_WIDTH)}${value}`;
}

function ratingLines({ values }: NaiveBayesFile): string[] {
  const head = `${'rating'.padStart(8)}${'chosen'.padStart(9)}${'random'.padStart(9)}${'P'.padStart(10)}`;
  const rows = values.map(
    ({ rating, chosen, random, propensity }) =>
      `${compact(rating).padStart(8)}${whole(chosen).padStart(9)}${whole(random).padStart(9)}${decimal(propensity, 6).padStart(10)}`,
  );
  return [head, ...rows, ''];
}

function fitLines({ margins, reliability, validation }: LogisticFigures, l2: number): string[] {
  return [
    row('largest error of ΣP, items', decimal(margins.items, 3)),
    row('  of users', decimal(margins.users, 3)),
    row('  in all', decimal(margins.total, 3)),
    '',
    `log-likelihood per pair, ${validation.folds}-fold cross-validation (${decimal(validation.constant, 5)} with one P for all pairs)`,
    ...validation.scores.map(
      ({ l2: tried, logLikelihood }) =>
        `  l2 = ${compact(tried).padEnd(8)}${decimal(logLikelihood, 5)}${tried === l2 ? '  chosen' : ''}`,
    ),
    '',
    'user–item pairs by decile of their propensity P: mean P, and the share of pairs that was rated',
    ...reliability.map(
      ({ expected, observed }) =>
        `  ${percent(expected, 2).padStart(9)}${percent(observed, 2).padStart(9)}`,
    ),
  ];
}
