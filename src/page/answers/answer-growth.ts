import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import type { Labels, SeriesTable } from '../charts/series-table.js';
import { clock, fixed, isKnown, percent } from '../format.js';
import type { Answer, Sentence } from './answer.js';

/** A Gini that moves by less is called steady. */
const NOTABLE = 0.01;
const FEW_TICKS = 10;

interface Move {
  readonly of: Sentence;
  readonly from: number;
  readonly to: number;
}

/**
 * Is popularity bias growing? It goes by the median Gini of the newest fifth of the ticks against that of the
 * oldest fifth, for the interactions and for what each model showed.
 */
export function growthAnswer(tick: LiveTick, popularity: SeriesTable, since: number): Answer {
  const first = popularity.times.findIndex((time) => time >= since);
  const count = first < 0 ? 0 : popularity.times.length - first;
  if (count < FEW_TICKS) {
    const sentence = [`A trend needs at least ${FEW_TICKS} ticks; there are ${count} so far.`];
    return { tone: 'unknown', word: 'Too early to say', sentence };
  }
  const moves = popularity.labels.flatMap((labels) => {
    const move = moveOf(popularity.column(labels, 'gini').slice(first));
    return move === undefined ? [] : [{ ...move, of: nameOf(labels) }];
  });
  const largest = moves.sort((a, b) => size(b) - size(a))[0];
  const begin = clock(popularity.times[first]);
  const top = tick.popularity.interactions.topShare;
  const share = isKnown(top)
    ? ` The top\u00a01\u00a0% of items take ${percent(top, 1)} of interactions.`
    : '';
  if (largest === undefined || size(largest) < NOTABLE) {
    const sentence = [`No Gini has moved by 0.01 or more since ${begin}.${share}`];
    return { tone: 'good', word: 'No, it is steady', sentence };
  }
  const up = largest.to > largest.from;
  const sentence = [
    'The Gini of ',
    ...largest.of,
    ` went from ${fixed(largest.from, 3)} to `,
    { strong: fixed(largest.to, 3) },
    ` since ${begin}.${share}`,
  ];
  return up
    ? { tone: 'care', word: 'Yes', sentence }
    : { tone: 'good', word: 'No, it is shrinking', sentence };
}

function moveOf(column: readonly (number | null)[]): { from: number; to: number } | undefined {
  const known = column.filter(isKnown);
  const part = Math.ceil(known.length / 5);
  if (known.length < FEW_TICKS) return undefined;
  return { from: median(known.slice(0, part)), to: median(known.slice(-part)) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function size({ from, to }: Move): number {
  return Math.abs(to - from);
}

function nameOf({ stream, model }: Labels): Sentence {
  return stream === 'interactions'
    ? [{ strong: 'interactions' }]
    : ['what ', { strong: String(model) }, ' shows'];
}
