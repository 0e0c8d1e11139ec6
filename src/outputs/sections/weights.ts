import type {
  ControlVariate,
  DrawnEstimate,
  InterventionSummary,
  WindowEstimates,
} from '../../estimators/results/window-estimates.js';
import { compact, decimal, percent, whole } from '../../rows/figures.js';
import { isTooFew } from '../../rows/findings/sample.js';
import { say } from '../../rows/findings/sentence.js';
import { CLEARLY_APART } from '../../rows/findings/thresholds.js';
import { type Cell, names, numbers, type Section, type Table, texts } from '../../rows/table.js';
import { formWords, metricName } from '../../rows/words.js';
import { weightTable } from './number-tables.js';

type Sizes = Pick<
  WindowEstimates,
  'effectiveSampleSizes' | 'models' | 'interventions' | 'weightDistribution'
>;

/**
 * Build the section on the data behind the estimates: weights, effective sample sizes and
 * interventions. Null without weights.
 */
export function weightsSection(window: Sizes): Section | null {
  const { weightDistribution: points, models } = window;
  // If all traffic is randomised, there are no weights.
  const interventions = window.interventions.filter(({ rows }) => rows > 0);
  if (interventions.length === 0 && models.every(({ events }) => events === 0)) return null;
  return {
    name: 'weights',
    title: 'Weights and effective sample sizes',
    lead: [],
    blocks: [
      {
        title: ['Weights of the events'],
        lead: [
          'Weights n^−β of snips, with n the popularity of the item. If few events carry most of the weight, they decide the estimate.',
        ],
        chart: {
          kind: 'bars',
          points,
          empty: ['No event has a weight above 0 in this window.'],
        },
        tables: points.length === 0 ? [] : [weightTable(points)],
        folded: 'Weights in numbers',
        isHalf: true,
        isAside: true,
      },
      {
        title: ['Effective users'],
        lead: [
          'The number of equally weighted users that the pooled estimate is worth. The table also gives this number in events, and the share of the weight on the heaviest event.',
        ],
        tables: [sizeTable(window)],
        isHalf: true,
        isAside: true,
      },
      { tables: [modelTable(window)] },
      ...(interventions.length === 0
        ? []
        : [
            {
              title: ['Interventions'],
              lead: [
                'How sampling by each intervention changes the pairs of the window: before → expected after. Weights are relative to their mean. “User distance” and “item distance” are total variation distances from the target distributions of users and items. “Distance from weights” is the total variation distance between the expected test set and the weights.',
              ],
              tables: [interventionTable(interventions)],
            },
          ]),
    ],
  };
}

function modelTable({ models }: Sizes): Table {
  return {
    name: 'models',
    title: 'Events that models are evaluated on',
    columns: [...names('model'), ...numbers('users', 'users with one event', 'events')],
    lines: models.map(({ model, users, events, singletonUserRatio }) => [
      { name: model },
      whole(users),
      percent(singletonUserRatio, 1),
      whole(events),
    ]),
  };
}

function sizeTable({ effectiveSampleSizes }: Sizes): Table {
  return {
    name: 'sizes',
    title: 'Effective sample sizes',
    columns: [...names('model'), ...texts('estimator'), ...numbers('users', 'events', 'heaviest')],
    lines: effectiveSampleSizes.map(({ model, estimator, users, events, largestShare }) => [
      { name: model },
      estimator,
      isTooFew(users)
        ? {
            words: `only ${decimal(users, 1)}`,
            mark: 'low',
          }
        : whole(users),
      whole(events),
      percent(largestShare, 1),
    ]),
    pivot: [1],
  };
}

function interventionTable(summaries: readonly InterventionSummary[]): Table {
  return {
    name: 'interventions',
    title: 'Interventions',
    columns: [
      ...texts('estimator'),
      ...numbers('pairs', 'eff. pairs', 'distance from weights', 'item weights', 'user distance'),
      ...numbers('item distance', 'Gini of items', 'KL from uniform'),
    ],
    lines: summaries.map((own) => {
      const { margins, before, sample, raking } = own;
      const three = (value: number) => decimal(value, 3);
      return [
        raking?.isDamped
          ? {
              words: own.estimator,
              notes: ['damped'],
            }
          : own.estimator,
        change(own.rows, own.expected, whole),
        {
          words: whole(own.ess),
          notes: [`${percent(own.largestShare, 1)} heaviest`],
        },
        three(own.distance),
        itemWeights(own),
        change(margins.user.before, margins.user.sample, three),
        change(margins.item.before, margins.item.sample, three),
        change(before.gini, sample.gini, three),
        change(before.kl, sample.kl, three),
      ];
    }),
  };
}

function itemWeights({ itemWeights: quantiles }: InterventionSummary): Cell {
  if (quantiles.length === 0) return '–';
  const least = quantiles[0];
  const most = quantiles[quantiles.length - 1];
  const middle = quantiles.find(({ quantile }) => quantile === 0.5)!;
  return {
    words: `${compact(least.weight)} to ${compact(most.weight)}`,
    notes: [`median ${compact(middle.weight)}`],
  };
}

function change(before: number, after: number, words: (value: number) => string): string {
  return `${words(before)} → ${words(after)}`;
}

/**
 * Build the section on estimates from drawn test sets (interventions); null if none were requested.
 */
export function drawnSection({
  drawn,
  results,
}: Pick<WindowEstimates, 'drawn' | 'results'>): Section | null {
  if (drawn.length === 0) return null;
  const keyOf = (row: Pick<DrawnEstimate, 'model' | 'metric' | 'k' | 'estimator' | 'form'>) =>
    JSON.stringify([row.model, row.metric, row.k, row.estimator, row.form]);
  const expected = new Map(results.map((row) => [keyOf(row), row.value]));
  return {
    name: 'drawn',
    title: 'Drawn test sets',
    lead: [
      `Mean and standard deviation of each estimate over ${Math.max(...drawn.map(({ draws }) => draws))} drawn test sets, and its expected value, which is computed without drawing.`,
    ],
    blocks: [
      {
        tables: [
          {
            name: 'drawn',
            title: 'Drawn test sets',
            columns: [
              ...names('model'),
              ...texts('metric', 'mean', 'estimator'),
              ...numbers('mean', '±', 'expected'),
            ],
            lines: drawn.map((row) => [
              { name: row.model },
              metricName(row),
              formWords(row.form),
              row.estimator,
              decimal(row.mean, 4),
              decimal(row.stdDev, 4),
              decimal(expected.get(keyOf(row)), 4),
            ]),
            pivot: [2, 3],
          },
        ],
        isAside: true,
      },
    ],
  };
}

const GROUPS = ['all users', 'least active third', 'middle third', 'most active third'];

/**
 * Build the section that compares propensities with randomised traffic; null without such traffic.
 */
export function controlSection(cells: readonly ControlVariate[]): Section | null {
  if (cells.length === 0) return null;
  const deciles = [...new Set(cells.map(({ decile }) => decile))].sort((a, b) => a - b);
  return {
    name: 'control',
    title: 'Propensities against randomised traffic',
    lead: say`Share of relevant pairs by decile of item popularity, estimated from weighted organic events and from randomised events. If the propensities are right, the two shares differ only by chance. ${{ strong: 'Marked' }}: more than ${String(CLEARLY_APART)} standard errors apart.`,
    blocks: [
      {
        tables: [
          {
            name: 'control',
            title: 'Shares of weighted organic and of randomised events',
            columns: [
              ...texts('items by popularity', 'users'),
              ...numbers('organic · randomised'),
              ...texts('z-score'),
            ],
            lines: deciles.flatMap((decile) =>
              cells
                .filter((own) => own.decile === decile)
                .map((own) => [
                  `decile ${decile + 1}${endOf(decile, deciles)}`,
                  GROUPS[own.userGroup === null ? 0 : own.userGroup + 1],
                  `${percent(own.weightShare, 1)} · ${percent(own.randomizedShare, 1)}`,
                  apart(own.z),
                ]),
            ),
            pivot: [1],
          },
        ],
        isAside: true,
      },
    ],
  };
}

function endOf(decile: number, deciles: readonly number[]): string {
  if (decile === deciles[0]) return ', least popular';
  return decile === deciles.at(-1) ? ', most popular' : '';
}

function apart(z: number): Cell {
  if (!Number.isFinite(z)) return 'too few events';
  const words = decimal(z, 1);
  return Math.abs(z) > CLEARLY_APART
    ? {
        words,
        mark: 'low',
      }
    : words;
}
