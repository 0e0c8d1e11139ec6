import { UNCORRECTED } from '../estimators/names.js';
import { VERDICT_ANSWERS } from '../features/words.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { decimal, isKnown, percent, signedPercent } from '../rows/figures.js';
import type { Finding } from '../rows/findings/finding.js';
import { type Compared, comparedModels } from '../rows/findings/rankings.js';
import { ANSWER_WORDS } from '../rows/findings/reasons.js';
import { isTooFew } from '../rows/findings/sample.js';
import type { Sentence } from '../rows/findings/sentence.js';
import { heldBack } from '../rows/findings/state.js';
import { concentrationTrend } from '../rows/findings/trend.js';
import { sentenceOf } from '../rows/findings/words.js';
import { capital, listed, metricName } from '../rows/words.js';
import type { SeriesTable } from './charts/series-table.js';
import { heldText, type ShownState } from './shown-states.js';

/** Which model looks better than it is? The one that loses the largest share first. */
export function flatteredAnswer(
  tick: LiveTick,
  estimator: string,
  states: readonly ShownState[],
): Answer {
  if (estimator === UNCORRECTED) {
    const sentence = [`Choose an estimator other than ${UNCORRECTED} to compare it with.`];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  const compared = comparedModels(tick.window.estimates, tick.models, estimator);
  if (compared.length === 0) {
    const sentence = [whyNoEstimate(tick)];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  const order = orderSentence(compared);
  const [worst, ...others] = compared
    .filter(({ looksBetter }) => looksBetter)
    .sort((a, b) => b.share - a.share);
  if (worst === undefined) {
    const none = `No uncorrected value lies above the 95 % interval of ${estimator}. `;
    const held = heldBack(states, 'numbers');
    if (held !== undefined) {
      return { tone: 'unknown', word: held.word, sentence: [heldText(held.state)] };
    }
    if (isOfFew(tick, estimator)) {
      const few = `There are too few users to tell by ${estimator}. `;
      return { tone: 'unknown', word: 'Too early to say', sentence: [few, ...order] };
    }
    return { tone: 'good', word: 'None', sentence: [none, ...order] };
  }
  const change = signedPercent(-worst.share);
  const sentence: Sentence = [
    `Corrected for popularity, its ${metricName(tick.chosen)} drops from ${decimal(worst.uncorrected, 3)} to `,
    { strong: decimal(worst.value, 3) },
    ` (${change}). `,
    ...alsoSentence(others),
    ...order,
  ];
  return { tone: 'care', word: worst.model, sentence };
}

/** With few users intervals are so wide that nothing lies above them. */
function isOfFew({ window: { estimates } }: LiveTick, estimator: string): boolean {
  return estimates.some((row) => row.estimator === estimator && isTooFew(row.ess));
}

/** What to say where no model has a value. */
export function whyNoEstimate({ window }: LiveTick): string {
  if (!window.estimates.some(({ withheld }) => (withheld ?? null) !== null)) {
    return 'No model has an estimate of this metric in this window.';
  }
  const leading = LEADS_INSTEAD[window.leads ?? 'estimates'];
  return `The estimates of this metric are withheld: shown lists caused too much of it.${leading}`;
}

const LEADS_INSTEAD = {
  estimates: '',
  values: ' What lists are worth by requests leads instead.',
  uncaused: ' What users found by themselves leads instead.',
  on_policy: ' What shown lists are worth leads instead.',
} as const;

function alsoSentence(others: readonly Compared[]): Sentence {
  if (others.length === 0) return [];
  if (others.length > 2) return [`${others.length} others look better than they are, too. `];
  const names = others.map(({ model }) => ({ name: model }));
  const are = others.length === 1 ? 's better than it is' : ' better than they are';
  return [...listed(names), ` look${are}, too. `];
}

/** Whether the correction changes which model is best. */
function orderSentence(compared: readonly Compared[]): Sentence {
  if (compared.length < 2) return [];
  const best = (value: (own: Compared) => number) =>
    [...compared].sort((a, b) => value(b) - value(a))[0].model;
  const uncorrected = best((row) => row.uncorrected);
  const corrected = best(({ value }) => value);
  if (uncorrected === corrected) return [{ name: corrected }, ' wins, corrected or not.'];
  return [
    'Uncorrected, ',
    { name: uncorrected },
    ' wins; corrected, ',
    { name: corrected },
    ' wins.',
  ];
}

/** Which model is better? The verdict that can be acted on first, then the others. */
export function betterAnswer(
  { verdict = [] }: Pick<LiveTick, 'verdict'>,
  states: readonly ShownState[],
): Answer {
  const [first] = verdict;
  if (first === undefined) {
    // Before the first look there is no pair; without decision.metric there never is.
    const sentence = [
      'The first verdict comes once two models have sent lists for a day, unless decision.metric is none. Until then, an interval below holds for one look.',
    ];
    return { tone: 'unknown', word: 'No verdict yet', sentence };
  }
  const sentence = verdict.flatMap((each, n) => [n === 0 ? '' : ' ', ...sentenceOf(known(each))]);
  const [model = '', against = ''] = first.subject.models ?? [];
  const short = VERDICT_ANSWERS[first.code]?.(model);
  if (short !== undefined) return { ...short, sentence };
  if (first.severity !== 'good') return { tone: 'unknown', word: 'Don’t know yet', sentence };
  const held = heldBack(states, 'numbers');
  if (held !== undefined) {
    const why = `${heldText(held.state)} `;
    return { tone: 'unknown', word: held.word, sentence: [why, ...sentence] };
  }
  return { tone: 'good', word: model, sentence, why: { model, against } };
}

/** JSON has no NaN: what is not known of its figures is null. */
function known(finding: NonNullable<LiveTick['verdict']>[number]): Finding {
  const figures = Object.entries(finding.figures).map(([name, value]) => [
    name,
    isKnown(value) ? value : Number.NaN,
  ]);
  return { ...finding, figures: Object.fromEntries(figures) } as Finding;
}

/** More are a line to be opened. */
const MOST_REASONS = 3;

/** Can I trust these numbers? As the service answers it, as far as its state allows. */
export function trustAnswer(
  { window: { trust } }: LiveTick,
  states: readonly ShownState[],
): Answer {
  const reasons = trust.reasons.map(({ text, subject: { models = [] } }) =>
    // A name stays as it is.
    models.length > 0 && text.startsWith(models[0]) ? text : capital(text),
  );
  const held = heldBack(states, 'numbers');
  if (held !== undefined) {
    const word = held.state.code === 'alarm' ? held.word : ANSWER_WORDS.no;
    return { tone: 'bad', word, ...explained([heldText(held.state), ...reasons]) };
  }
  const isClear = trust.reasons.every(({ severity }) => severity !== 'caution');
  const care = trust.answer === 'no' ? 'bad' : 'care';
  const tone = trust.answer === 'yes' && isClear ? 'good' : care;
  return { tone, word: ANSWER_WORDS[trust.answer], ...explained(reasons) };
}

/** Many models have many reasons; the weightiest come first. */
function explained(reasons: readonly string[]): Pick<Answer, 'sentence' | 'more'> {
  const more = reasons.slice(MOST_REASONS);
  const sentence = [reasons.slice(0, MOST_REASONS).join(' ')];
  return more.length === 0 ? { sentence } : { sentence, more };
}

/** The answer to one question that people come with. */
export interface Answer {
  /** `good`: nothing to do; `care`: read on before deciding; `bad`: do not decide on this. */
  readonly tone: 'good' | 'care' | 'bad' | 'unknown';
  /** The answer in a word or two. */
  readonly word: string;
  readonly sentence: Sentence;
  /** The gap that is behind it, to be taken apart. */
  readonly why?: { readonly model: string; readonly against: string };
  /** What else speaks for it, to be opened. */
  readonly more?: readonly string[];
}

/** Is popularity bias growing? */
export function growthAnswer(
  tick: LiveTick,
  popularity: SeriesTable,
  since: number,
  states: readonly ShownState[],
): Answer {
  const found = popularity.times.findIndex((time) => time >= since);
  const first = found < 0 ? popularity.times.length : found;
  const series = popularity.labels.map((labels) => ({
    model: labels['stream'] === 'interactions' ? null : String(labels['model']),
    values: popularity
      .column(labels, 'gini')
      .slice(first)
      .map((value) => value ?? null),
  }));
  const finding = concentrationTrend(popularity.times.slice(first), series);
  const sentence = sentenceOf(finding);
  if (finding.code === 'trend_too_short') {
    return { tone: 'unknown', word: 'Too early to say', sentence };
  }
  const held = heldBack(states, 'trend');
  if (held !== undefined && finding.severity === 'good') {
    return { tone: 'unknown', word: held.word, sentence: [heldText(held.state)] };
  }
  const word =
    finding.code === 'concentration_grows'
      ? 'Yes'
      : finding.code === 'concentration_shrinks'
        ? 'No, it is shrinking'
        : 'No, it is steady';
  const tone = finding.severity === 'good' ? 'good' : 'care';
  return { tone, word, sentence: [...sentence, topShare(tick)] };
}

function topShare({ popularity: { interactions } }: LiveTick): string {
  return isKnown(interactions.topShare)
    ? ` The top\u00a01\u00a0% of items take ${percent(interactions.topShare, 1)} of interactions.`
    : '';
}
