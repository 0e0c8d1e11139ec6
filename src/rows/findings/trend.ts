import { decimal, whole } from '../figures.js';
import { clock } from '../times.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { LEAST_TICKS, NOTABLE_GINI } from './thresholds.js';

/** Gini index over time: of the interactions, or of a model's exposures. */
export interface GiniSeries {
  /** Name of the model whose exposures the index is of; null for the interactions. */
  readonly model: string | null;
  readonly values: readonly (number | null)[];
}

/**
 * Find a trend in popularity bias: compare the median Gini of the newest fifth of the ticks with
 * that of the oldest fifth, and report the series that changed most.
 *
 * @param times end of each tick, ms; as many as each series has values. O(n log n) per series.
 */
export function concentrationTrend(
  times: readonly number[],
  series: readonly GiniSeries[],
): Finding {
  if (times.length < LEAST_TICKS) {
    const figures = {
      ticks: times.length,
      least: LEAST_TICKS,
    };
    return {
      code: 'trend_too_short',
      severity: 'note',
      subject: {},
      figures,
    };
  }
  const since = times[0];
  const moves = series.flatMap(({ model, values }) => {
    const ends = endsOf(values);
    return ends === undefined
      ? []
      : [
          {
            model,
            ...ends,
            size: Math.abs(ends.to - ends.from),
          },
        ];
  });
  const largest = moves.sort((a, b) => b.size - a.size)[0];
  if (largest === undefined || largest.size < NOTABLE_GINI) {
    const figures = {
      moved: largest?.size ?? 0,
      since,
    };
    return {
      code: 'concentration_steady',
      severity: 'good',
      subject: {},
      figures,
    };
  }
  const { model, from, to } = largest;
  const subject = model === null ? {} : { models: [model] };
  const figures = {
    from,
    to,
    since,
  };
  return to > from
    ? {
        code: 'concentration_grows',
        severity: 'caution',
        subject,
        figures,
      }
    : {
        code: 'concentration_shrinks',
        severity: 'good',
        subject,
        figures,
      };
}

function endsOf(values: GiniSeries['values']):
  | {
      from: number;
      to: number;
    }
  | undefined {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  const part = Math.ceil(known.length / 5);
  if (known.length < LEAST_TICKS) return undefined;
  return {
    from: median(known.slice(0, part)),
    to: median(known.slice(-part)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function moved({ subject: { models }, figures }: MovedFinding) {
  const of =
    models === undefined
      ? say`${{ strong: 'interactions' }}`
      : say`what ${{ name: models[0] }} recommends`;
  return say`The Gini of ${of} has changed from ${decimal(figures.from, 3)} to ${{ strong: decimal(figures.to, 3) }} since ${clock(figures.since)}.`;
}

type MovedFinding = Finding<'concentration_grows' | 'concentration_shrinks'>;

export const TREND_WORDS = {
  trend_too_short: ({ figures }) =>
    say`A trend needs at least ${whole(figures.least)} ticks, and there are only ${whole(figures.ticks)} so far.`,
  concentration_steady: ({ figures }) =>
    say`No Gini has changed by ${decimal(NOTABLE_GINI, 2)} or more since ${clock(figures.since)}.`,
  concentration_grows: moved,
  concentration_shrinks: moved,
} satisfies Words;
