import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { SnapshotSeries } from '../output.js';
import type { PairVerdict } from '../verdict.js';
import type { AbAnswer, AbLift } from './answer.js';

const TEST_LABELS = ['model', 'reward'] as const;
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
        yield [
          {
            ...verdictLabels(row),
            state,
            better,
          },
          1,
        ];
      }
    },
  },
];

/** Gauges of an A/B test. */
export const TEST_SERIES: readonly SnapshotSeries[] = [
  lift('', 'Lift of an arm over the control, a share of its reward', (own) => own.lift),
  lift('_lower', 'Lower end of its interval', (own) => own.liftLower),
  lift('_upper', 'Upper end of its interval', (own) => own.liftUpper),
  {
    name: 'unskew_reward_per_user',
    help: 'Mean reward per user of an arm, history taken out',
    labelNames: TEST_LABELS,
    *samples({ experiment }) {
      for (const { model, perUser } of experiment?.arms ?? []) {
        if (!Number.isNaN(perUser)) {
          yield [
            {
              model,
              reward: rewardOf(experiment!),
            },
            perUser,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_sample_ratio_p_value',
    help: 'Chance of so large a mismatch between the split that was stated and that which was served',
    labelNames: [],
    *samples({ experiment }) {
      const p = experiment?.split.p ?? Number.NaN;
      if (!Number.isNaN(p)) {
        yield [{}, p];
      }
    },
  },
];

function lift(suffix: string, help: string, value: (of: AbLift) => number): SnapshotSeries {
  return {
    name: `unskew_lift${suffix}`,
    help,
    labelNames: TEST_LABELS,
    *samples({ experiment }) {
      for (const own of experiment?.lifts ?? []) {
        const found = value(own);
        if (!Number.isNaN(found)) {
          yield [
            {
              model: own.model,
              reward: rewardOf(experiment!),
            },
            found,
          ];
        }
      }
    },
  };
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
    *samples(snapshot) {
      for (const row of controlVerdicts(snapshot)) {
        if (!Number.isNaN(value(row))) {
          yield [verdictLabels(row), value(row)];
        }
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
