import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown, percent } from '../rows/figures.js';
import { heldBack } from '../rows/findings/held-back.js';
import { concentrationTrend } from '../rows/findings/trend.js';
import { sentenceOf } from '../rows/findings/words.js';
import type { Answer } from './answer.js';
import type { SeriesTable } from './charts/series-table.js';
import { heldText } from './held-text.js';
import type { ShownState } from './shown-states.js';

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
