import type { Snapshot } from '../../stream/snapshot.js';
import type { SnapshotSeries } from '../output.js';
import type { PairVerdict } from '../verdict.js';

const VERDICT_LABELS = ['model', 'reference', 'metric', 'k'] as const;

/** Gauges of which model is better. */
export const VERDICT_SERIES: readonly SnapshotSeries[] = [
  verdict('', 'Model’s value minus the reference’s since both began', ({ value }) => value),
  verdict('_lower', 'Lower end of its interval, which holds at all looks', ({ lower }) => lower),
  verdict('_upper', 'Upper end of its interval, which holds at all looks', ({ upper }) => upper),
  {
    name: 'unskew_verdict_state',
    help: 'What is said of a model against the reference, and which is better; always 1',
    labelNames: [...VERDICT_LABELS, 'state', 'better'],
    *samples(snapshot) {
      for (const row of controlVerdicts(snapshot)) {
        const { state } = row;
        const better = row.better === null ? 'none' : betterOf(row);
        yield [{ ...verdictLabels(row), state, better }, 1];
      }
    },
  },
];

function verdict(
  suffix: string,
  help: string,
  value: (row: PairVerdict) => number,
): SnapshotSeries {
  return {
    name: `unskew_verdict_difference${suffix}`,
    help,
    labelNames: VERDICT_LABELS,
    *samples(snapshot) {
      for (const row of controlVerdicts(snapshot)) {
        if (!Number.isNaN(value(row))) yield [verdictLabels(row), value(row)];
      }
    },
  };
}

/** Against one model alone: pairs are the square of models. */
function controlVerdicts({ verdicts = [], models }: Snapshot): readonly PairVerdict[] {
  const [first] = verdicts;
  const isOfAll = verdicts.some(({ reference }) => reference !== first.reference);
  return isOfAll ? verdicts.filter(({ reference }) => reference === models[0]) : verdicts;
}

function verdictLabels({ model, reference, metric, k }: PairVerdict) {
  return { model, reference, metric, k: k ?? '' };
}

function betterOf({ better, model }: PairVerdict): 'model' | 'reference' {
  return better === model ? 'model' : 'reference';
}
