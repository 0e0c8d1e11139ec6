import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { Sample, SnapshotSeries } from '../output.js';
import type { PairVerdict } from '../verdict.js';
import type { AbAnswer, AbLift } from './answer.js';

const TEST_LABELS = ['model', 'reward'] as const;
const VERDICT_LABELS = ['model', 'reference', 'metric', 'k'] as const;

/** Gauges of verdicts on models. */
export const VERDICT_SERIES: readonly SnapshotSeries[] = [
  verdict(
    '',
    'Value of the model minus that of the reference since the comparison began',
    ({ value }) => value,
  ),
  verdict(
    '_lower',
    'Lower end of the interval of unskew_verdict_difference, valid however often you look',
    ({ lower }) => lower,
  ),
  verdict(
    '_upper',
    'Upper end of the interval of unskew_verdict_difference, valid however often you look',
    ({ upper }) => upper,
  ),
  {
    name: 'unskew_verdict_state',
    help: 'Always 1; its labels give the verdict on the model vs the reference, and which is better',
    labelNames: [...VERDICT_LABELS, 'state', 'better'],
    samples: (snapshot) =>
      controlVerdicts(snapshot).map((row) => {
        const labels = {
          ...verdictLabels(row),
          state: row.state,
          better: row.better === null ? 'none' : betterOf(row),
        };
        return [labels, 1];
      }),
  },
];

/** Gauges of an A/B test. */
export const TEST_SERIES: readonly SnapshotSeries[] = [
  lift(
    '',
    'Lift of an arm over the control, as a share of the control’s reward',
    (own) => own.lift,
  ),
  lift('_lower', 'Lower end of the interval of unskew_lift', (own) => own.liftLower),
  lift('_upper', 'Upper end of the interval of unskew_lift', (own) => own.liftUpper),
  {
    name: 'unskew_reward_per_user',
    help: 'Mean reward per user of an arm, adjusted for the users’ history',
    labelNames: TEST_LABELS,
    samples: ({ experiment }) =>
      testSamples(experiment, experiment?.arms ?? [], ({ perUser }) => perUser),
  },
  {
    name: 'unskew_sample_ratio_p_value',
    help: 'p-value of the test for sample ratio mismatch between the configured and the served split',
    labelNames: [],
    samples({ experiment }) {
      const p = experiment?.split.p ?? Number.NaN;
      return Number.isNaN(p) ? [] : [[{}, p]];
    },
  },
];

function lift(suffix: string, help: string, value: (of: AbLift) => number): SnapshotSeries {
  return {
    name: `unskew_lift${suffix}`,
    help,
    labelNames: TEST_LABELS,
    samples: ({ experiment }) => testSamples(experiment, experiment?.lifts ?? [], value),
  };
}

/** Samples of a gauge of a test: one for each model whose value is known. */
function testSamples<Of extends { readonly model: string }>(
  test: AbAnswer | undefined,
  all: readonly Of[],
  value: (of: Of) => number,
): Sample[] {
  return all
    .filter((of) => !Number.isNaN(value(of)))
    .map((of) => {
      const labels = {
        model: of.model,
        reward: rewardOf(test!),
      };
      return [labels, value(of)];
    });
}

function rewardOf({ reward: { action } }: AbAnswer): string {
  return action ?? 'all';
}

function verdict(
  suffix: string,
  help: string,
  value: (row: PairVerdict) => number,
): SnapshotSeries {
  return {
    name: `unskew_verdict_difference${suffix}`,
    help,
    labelNames: VERDICT_LABELS,
    samples: (snapshot) =>
      controlVerdicts(snapshot)
        .map((row): Sample => [verdictLabels(row), value(row)])
        .filter(([, own]) => !Number.isNaN(own)),
  };
}

/**
 * Verdicts with one common reference: if all pairs are judged, those on the first model. The number
 * of pairs grows with the square of the number of models.
 */
function controlVerdicts({ verdicts = [], models }: Snapshot): readonly PairVerdict[] {
  const [first] = verdicts;
  const isOfAll = verdicts.some(({ reference }) => reference !== first.reference);
  return isOfAll ? verdicts.filter(({ reference }) => reference === models[0]) : verdicts;
}

function verdictLabels({ model, reference, metric, k }: PairVerdict) {
  return {
    model,
    reference,
    metric,
    k: k ?? '',
  };
}

function betterOf({ better, model }: PairVerdict): 'model' | 'reference' {
  return better === model ? 'model' : 'reference';
}
