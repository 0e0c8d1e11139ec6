import { GAMMA_FITS, GAMMA_STATUSES } from '../../estimators/propensity/gamma.js';
import { SCALES } from '../../estimators/results/scale-report.js';
import { LIST_GAUGES } from '../../features/gauges.js';
import type { SnapshotSeries } from '../../features/output.js';
import { SPLIT_BY, shareOf } from '../../rows/findings/coverage.js';
import { aggregationOf, isGiven, reasonOf } from '../../rows/reading.js';
import type { Difference, Row } from '../../rows/row.js';
import type { Concentration, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { windowDifferences, windowRows } from '../window-rows.js';

export type { SnapshotSeries } from '../../features/output.js';

type Labels = Readonly<Record<string, string | number>>;

const SECONDS_PER_MS = 1e-3;
const MODEL_WINDOW = ['model', 'window'] as const;
const ESTIMATE_LABELS = ['model', 'metric', 'k', 'estimator', 'aggregation', 'window'] as const;

/** Fields of a row that have gauges, with the suffix of the gauge's name. */
const INTERVAL = [
  {
    suffix: '',
    of: ({ value }: Row) => value,
  },
  {
    suffix: '_stderr',
    of: ({ stdErr }: Row) => stdErr,
  },
  {
    suffix: '_lower',
    of: ({ lower }: Row) => lower,
  },
  {
    suffix: '_upper',
    of: ({ upper }: Row) => upper,
  },
];
const DIFFERENCE_HELP = [
  'Estimate of a model minus that of the reference model',
  'Standard error of the difference, paired by user',
  'Lower end of the 95 % interval of the difference',
  'Upper end of the 95 % interval of the difference',
];

/** All gauges of the metrics contract that come from a snapshot. */
export const SNAPSHOT_SERIES: readonly SnapshotSeries[] = [
  ...interval('unskew_estimate', 'Estimated value of a metric', [
    'Standard error of the estimate',
    'Lower end of the 95 % interval of the estimate',
    'Upper end of the 95 % interval of the estimate',
  ]),
  sum('numerator', 'Numerator of the estimate, to be summed over processes'),
  sum('denominator', 'Denominator of the estimate, to be summed over processes'),
  {
    name: 'unskew_estimate_withheld',
    help: '1 for each estimate that is not reported, by reason; such estimates are absent from unskew_estimate',
    labelNames: [...ESTIMATE_LABELS, 'reason'],
    *samples({ windows }) {
      for (const window of windows) {
        for (const row of rowsOf(window, isAmongAll)) {
          const reason = reasonOf(row);
          if (reason !== null) {
            yield [
              {
                ...labelsOf(row, window.name),
                reason,
              },
              1,
            ];
          }
        }
      }
    },
  },
  {
    name: 'unskew_caused_ratio',
    help: 'Share of the positive pairs driven by served lists; absent if unknown',
    labelNames: ['source', 'window'],
    *samples({ windows }) {
      for (const { name: window, feedback } of windows) {
        if (feedback === undefined || Number.isNaN(feedback.caused)) continue;
        yield [
          {
            source: feedback.source,
            window,
          },
          feedback.caused,
        ];
      }
    },
  },
  ...LIST_GAUGES,
  ...interval('unskew_uncaused_estimate', 'Estimate from organic interactions', [
    'Standard error of the estimate from organic interactions',
    'Lower end of the 95 % interval of the estimate from organic interactions',
    'Upper end of the 95 % interval of the estimate from organic interactions',
  ]),
  ...INTERVAL.map(({ suffix, of }, n) => difference(suffix, DIFFERENCE_HELP[n], of)),
  {
    name: 'unskew_effective_sample_size',
    help: 'Kish effective sample size of the weights, by users or by events',
    labelNames: ['model', 'estimator', 'window', 'unit'],
    *samples({ windows }) {
      for (const window of windows) {
        for (const { model, estimator, users, events } of window.effectiveSampleSizes) {
          yield [
            {
              model,
              estimator,
              window: window.name,
              unit: 'user',
            },
            users,
          ];
          yield [
            {
              model,
              estimator,
              window: window.name,
              unit: 'event',
            },
            events,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_singleton_user_ratio',
    help: 'Share of users with one evaluated event; for them, per-user snips and gs equal naive',
    labelNames: MODEL_WINDOW,
    *samples({ windows }) {
      for (const window of windows) {
        for (const { model, singletonUserRatio } of window.models) {
          yield [
            {
              model,
              window: window.name,
            },
            singletonUserRatio,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_intervention_weight',
    help: 'Quantiles of the sampling weights of skew or wtd_h, relative to their mean, by side (user or item)',
    labelNames: ['side', 'quantile', 'estimator', 'window'],
    *samples({ windows }) {
      for (const window of windows) {
        for (const { estimator, userWeights, itemWeights } of window.interventions) {
          const labels = {
            estimator,
            window: window.name,
          };
          for (const { quantile, weight } of userWeights) {
            yield [
              {
                side: 'user',
                quantile,
                ...labels,
              },
              weight,
            ];
          }
          for (const { quantile, weight } of itemWeights) {
            yield [
              {
                side: 'item',
                quantile,
                ...labels,
              },
              weight,
            ];
          }
        }
      }
    },
  },
  gamma('unskew_gamma', 'Fitted exponent of presentation bias', (fit) => fit.gamma),
  gamma('unskew_gamma_stderr', 'Standard error of the fitted exponent', (fit) => fit.stdErr),
  {
    name: 'unskew_gamma_status',
    help: 'Status of the fit of the exponent: 1 for the current status, else 0',
    labelNames: ['model', 'status'],
    *samples({ propensity }) {
      for (const [model, fit] of Object.entries(propensity.fits)) {
        for (const status of GAMMA_STATUSES) {
          yield [{ model, status }, Number(status === fit.status)];
        }
      }
    },
  },
  {
    name: 'unskew_gamma_used',
    help: 'Exponent of presentation bias in use; the label gives its source',
    labelNames: ['source'],
    *samples({ propensity }) {
      yield [{ source: propensity.source }, propensity.gamma];
    },
  },
  {
    name: 'unskew_ips_scale',
    help: 'Source of the scale of the ips propensities: 1 for the current one, else 0; absent without ips',
    labelNames: ['scale', 'window'],
    *samples({ windows }) {
      for (const { name: window, absoluteScale } of windows) {
        if (absoluteScale === null) continue;
        for (const scale of SCALES) {
          yield [{ scale, window }, Number(scale === absoluteScale.scale)];
        }
      }
    },
  },
  popularity('gini', 'Gini coefficient of the counts over the catalogue', (c) => c.gini),
  popularity('hhi', 'Herfindahl-Hirschman index of the counts', (c) => c.hhi),
  popularity('coverage_ratio', 'Share of the catalogue with at least one count', (c) => c.coverage),
  popularity('entropy', 'Shannon entropy of the counts, in nats', (c) => c.entropy),
  popularity(
    'top_share',
    'Share of the counts on the most popular 1 % of the catalogue',
    (c) => c.topShare,
  ),
  {
    name: 'unskew_average_recommendation_popularity',
    help: 'Mean popularity of the items that a model exposed, in interactions within popularity.horizon',
    labelNames: MODEL_WINDOW,
    *samples({ windows }) {
      for (const window of windows) {
        for (const [model, value] of Object.entries(window.averageRecommendationPopularity)) {
          yield [
            {
              model,
              window: window.name,
            },
            value,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_popularity_lift',
    help: 'Mean popularity of a model’s exposures, relative to that of the interactions, minus 1',
    labelNames: MODEL_WINDOW,
    *samples({ windows }) {
      for (const window of windows) {
        const profile = window.averageInteractionPopularity;
        for (const [model, shown] of Object.entries(window.averageRecommendationPopularity)) {
          yield [
            {
              model,
              window: window.name,
            },
            (shown - profile) / profile,
          ];
        }
      }
    },
  },
  {
    name: 'unskew_exposure_curve',
    help: 'Exposures per item by popularity, on log2 bins; the label level is the lower end of the bin',
    labelNames: ['model', 'level'],
    *samples({ propensity }) {
      for (const [model, fit] of Object.entries(propensity.fits)) {
        for (const { level, exposuresPerItem } of fit.curve) {
          yield [{ model, level }, exposuresPerItem];
        }
      }
    },
  },
  {
    name: 'unskew_user_sampling_ratio',
    help: 'Share of users that the estimates use: 1, or less if a limit is exceeded',
    labelNames: [],
    *samples({ sampling }) {
      yield [{}, sampling.ratio];
    },
  },
  {
    name: 'unskew_largest_user_ratio',
    help: 'Share of the most active user in the interactions within popularity.horizon; only with popularity.userCap',
    labelNames: [],
    *samples({ heavyUsers }) {
      if (heavyUsers !== undefined) {
        yield [{}, heavyUsers.largestShare];
      }
    },
  },
  {
    name: 'unskew_users_apart',
    help: 'Number of users with far more interactions than all others, who may be crawlers; only with popularity.userCap',
    labelNames: [],
    *samples({ heavyUsers }) {
      if (heavyUsers !== undefined) {
        yield [{}, heavyUsers.apart];
      }
    },
  },
  {
    name: 'unskew_split_user_ratio',
    help: 'Share of the sampled users of the longest window whose events are in several partitions',
    labelNames: ['by'],
    *samples({ homes }) {
      for (const by of SPLIT_BY) {
        yield [{ by }, homes === undefined ? 0 : shareOf(homes[by])];
      }
    },
  },
  {
    name: 'unskew_split_users',
    help: 'Number of sampled users whose events are in several partitions',
    labelNames: ['by'],
    *samples({ homes }) {
      for (const by of SPLIT_BY) {
        yield [{ by }, homes?.[by].several ?? 0];
      }
    },
  },
  {
    name: 'unskew_users_moved_seconds',
    help: 'Event time at which users moved to other partitions all at once, in Unix seconds; absent if they did not',
    labelNames: [],
    *samples({ homes }) {
      const movedAt = homes?.movedAt ?? null;
      if (movedAt !== null) {
        yield [{}, movedAt * SECONDS_PER_MS];
      }
    },
  },
  {
    name: 'unskew_pane_end_seconds',
    help: 'Event time up to which the estimates reach, in Unix seconds',
    labelNames: [],
    *samples({ paneEnd }) {
      yield [{}, paneEnd * SECONDS_PER_MS];
    },
  },
  {
    name: 'unskew_window_end_seconds',
    help: 'Event time up to which the newest numbers of the window reach, in Unix seconds',
    labelNames: ['window'],
    *samples({ windows }) {
      for (const { name, to } of windows) {
        yield [{ window: name }, to * SECONDS_PER_MS];
      }
    },
  },
];

/**
 * Build the gauges of one base name for value, standard error and interval. They show the rows for
 * which `gaugeOf` returns that name.
 */
function interval(name: string, help: string, more: readonly string[]): SnapshotSeries[] {
  const isOwn = (row: Row) => gaugeOf(row) === name;
  return INTERVAL.map(({ suffix, of }, n) => ({
    name: `${name}${suffix}`,
    help: [help, ...more][n],
    labelNames: ESTIMATE_LABELS,
    *samples({ windows }) {
      for (const window of windows) {
        for (const row of rowsOf(window, isOwn)) {
          if (isShown(row, of(row))) {
            yield [labelsOf(row, window.name), of(row)];
          }
        }
      }
    },
  }));
}

/**
 * Base name of the gauges for a row. All families but the organic estimates share
 * `unskew_estimate`, which is unambiguous since no two of them have the same metrics.
 */
function gaugeOf({ family }: Row): string {
  return family === 'uncaused' ? 'unskew_uncaused_estimate' : 'unskew_estimate';
}

function isAmongAll(row: Row): boolean {
  return gaugeOf(row) === 'unskew_estimate';
}

function rowsOf(window: WindowSnapshot, isAsked: (row: Row) => boolean): Row[] {
  return (windowRows(window) as readonly Row[]).filter(isAsked);
}

/**
 * Whether a gauge shows a value of a row. Values that are not reported are left out, and so are
 * unknown values of reward families.
 */
function isShown(row: Row, value: number): boolean {
  return isGiven(row) && !(UNKNOWN_ABSENT.has(row.family) && Number.isNaN(value));
}

const UNKNOWN_ABSENT: ReadonlySet<string> = new Set(['on_policy', 'values']);

function sum(name: 'numerator' | 'denominator', help: string): SnapshotSeries {
  return {
    name: `unskew_estimate_${name}`,
    help,
    labelNames: ESTIMATE_LABELS,
    *samples({ windows }) {
      for (const window of windows) {
        for (const row of rowsOf(window, isAmongAll)) {
          if (row.sums && isGiven(row)) {
            yield [labelsOf(row, window.name), row.sums[name]];
          }
        }
      }
    },
  };
}

function labelsOf(row: Row, window: string): Labels {
  const { model, metric, k, estimator } = row;
  return {
    model,
    metric,
    k: k ?? '',
    estimator,
    aggregation: aggregationOf(row),
    window,
  };
}

function difference(
  suffix: string,
  help: string,
  read: (row: Difference) => number,
): SnapshotSeries {
  return {
    name: `unskew_estimate_difference${suffix}`,
    help,
    labelNames: ['model', 'reference', 'metric', 'k', 'estimator', 'aggregation', 'window'],
    *samples({ windows }) {
      for (const window of windows) {
        for (const row of windowDifferences(window) as readonly Difference[]) {
          const { model, reference } = row;
          if (isShown(row, read(row))) {
            yield [
              {
                model,
                reference,
                ...labelsOf(row, window.name),
              },
              read(row),
            ];
          }
        }
      }
    },
  };
}

function gamma(
  name: string,
  help: string,
  read: (fit: { readonly gamma: number; readonly stdErr: number }) => number,
): SnapshotSeries {
  return {
    name,
    help,
    labelNames: ['model', 'fit'],
    *samples({ propensity }) {
      for (const [model, fits] of Object.entries(propensity.fits)) {
        for (const fit of GAMMA_FITS) {
          yield [{ model, fit }, read(fits[fit])];
        }
      }
    },
  };
}

function popularity(
  suffix: string,
  help: string,
  read: (concentration: Concentration) => number,
): SnapshotSeries {
  return {
    name: `unskew_popularity_${suffix}`,
    help,
    labelNames: ['stream', 'model'],
    *samples({ popularity: { interactions, exposures } }) {
      yield [
        {
          stream: 'interactions',
          model: '',
        },
        read(interactions),
      ];
      for (const [model, concentration] of Object.entries(exposures)) {
        // A shadow model has no exposures; an index of concentration would be misleading.
        if (concentration.total > 0) {
          yield [
            {
              stream: 'exposures',
              model,
            },
            read(concentration),
          ];
        }
      }
    },
  };
}
