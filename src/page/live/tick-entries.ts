import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import type { Labels } from '../charts/series-table.js';

type Entry = readonly [labels: Labels, value: string, number: number | null];

/** A tick as the history keeps it, so that what comes live goes on where the history ends. */
export function estimateEntries({ chosen, window }: LiveTick): Entry[] {
  const common = {
    metric: chosen.metric,
    k: chosen.k,
    aggregation: chosen.aggregation,
    window: chosen.window,
  };
  const truth = window.truth.map(({ model, value }): Entry => {
    return [{ ...common, model, estimator: 'truth' }, 'value', value];
  });
  const estimates = window.estimates.flatMap((row): Entry[] => {
    const labels = { ...common, model: row.model, estimator: row.estimator };
    return [
      [labels, 'value', row.value],
      [labels, 'lower', row.lower],
      [labels, 'upper', row.upper],
    ];
  });
  return [...estimates, ...truth];
}

export function popularityEntries({ popularity }: LiveTick): Entry[] {
  const all: [Labels, LiveTick['popularity']['interactions']][] = [
    [{ stream: 'interactions', model: null }, popularity.interactions],
    ...Object.entries(popularity.exposures).map(([model, counts]): [Labels, typeof counts] => [
      { stream: 'exposures', model },
      counts,
    ]),
  ];
  return all
    .filter(([, { total }]) => total > 0)
    .flatMap(([labels, { gini, topShare }]): Entry[] => [
      [labels, 'gini', gini],
      [labels, 'topShare', topShare],
    ]);
}

export function propensityEntries({ propensity }: LiveTick): Entry[] {
  const used = { model: '*', fit: 'used' };
  return [
    [used, 'gamma', propensity.gamma],
    [used, 'stdErr', propensity.gammaStdErr],
    ...Object.entries(propensity.fits).flatMap(([model, fits]) =>
      (['ols', 'poisson'] as const).map((fit): Entry => [{ model, fit }, 'gamma', fits[fit].gamma]),
    ),
  ];
}

export function sampleEntries({ chosen, window }: LiveTick): Entry[] {
  return window.effectiveSampleSizes.map(
    ({ model, estimator, users }): Entry => [
      { model, estimator, window: chosen.window },
      'users',
      users,
    ],
  );
}

export function qualityEntries({ quality }: LiveTick): Entry[] {
  return quality.topics.map(({ topic, lag }): Entry => [{ topic }, 'lag', lag]);
}
