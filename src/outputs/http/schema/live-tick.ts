import { type Static, Type } from 'typebox';
import { type EstimateRow, ModelSummary } from '../../../estimators/results/estimate.js';
import { WeightBin } from '../../../estimators/results/window-estimates.js';
import { Alarm, Notice } from '../../../features/alarm.js';
import { verdictsOn } from '../../../features/findings.js';
import { LIVE_SCHEMAS } from '../../../features/schemas.js';
import { RUNGS } from '../../../features/verdict.js';
import { readingFindings, readingOf, serviceFindings } from '../../../rows/findings/reading.js';
import { windowFindings } from '../../../rows/findings/window-findings.js';
import { wordedTrust } from '../../../rows/findings/window-trust.js';
import { worded } from '../../../rows/findings/words.js';
import { Num, type Wire } from '../../../rows/row.js';
import type { Snapshot, WindowSnapshot } from '../../../stream/tick/snapshot.js';
import { v1Window } from '../../json/v1.js';
import {
  AggregationName,
  Cutoff,
  EstimatorName,
  MetricName,
  SampleSize,
  V1Estimate,
} from '../../json/v1-schema.js';
import { Opening, type SentOpening } from '../../opening/opening.js';
import { openingOf } from '../../opening/opening-of.js';
import { Finding, Findings, Trust } from './finding.js';
import { QualityReport } from './live-state.js';
import { EventTime } from './number.js';
import { liveChoice, MetricChoice, metricsOf, type StreamQuery } from './query.js';
import {
  ConcentrationReport,
  LorenzReport,
  PropensityFigures,
  Sampling,
  Sensitivity,
  WindowCounts,
} from './snapshot.js';

const MOST_VERDICTS = 8;

export const LiveTick = Type.Object(
  {
    paneEnd: EventTime('End of the pane that closed'),
    models: Type.Array(Type.String()),
    baseline: Type.Union([Type.String(), Type.Null()]),
    catalogueSize: Type.Number(),
    longestWindowMs: Type.Number({
      description:
        'Length of the longest window, ms; only marks newer than this can explain a change',
    }),
    offered: Type.Object({
      windows: Type.Array(Type.String()),
      metrics: Type.Array(MetricChoice),
      estimators: Type.Array(EstimatorName),
      aggregations: Type.Array(AggregationName),
      dimensions: Type.Array(Type.String(), {
        description: 'Dimensions that split estimates into segments',
      }),
    }),
    chosen: Type.Object({
      window: Type.String(),
      metric: MetricName,
      k: Cutoff,
      aggregation: AggregationName,
    }),
    window: Type.Object({
      from: EventTime('Start of the window'),
      to: EventTime('End of the window'),
      counts: WindowCounts,
      estimates: Type.Array(V1Estimate),
      truth: Type.Array(
        Type.Object({
          model: Type.String(),
          value: Num(),
        }),
      ),
      models: Type.Array(ModelSummary),
      effectiveSampleSizes: Type.Array(SampleSize),
      weightDistribution: Type.Array(WeightBin),
      findings: Findings,
      trust: Trust,
      sensitivity: Type.Union([Sensitivity, Type.Null()], {
        description: 'Sensitivity of the chosen metric to γ; null if there is none',
      }),
      uncaused: Type.Optional(
        Type.Array(V1Estimate, { description: 'Estimates from organic interactions' }),
      ),
      ...LIVE_SCHEMAS,
    }),
    sampling: Sampling,
    popularity: ConcentrationReport,
    lorenz: LorenzReport,
    propensity: PropensityFigures,
    quality: QualityReport,
    alarms: Type.Array(Alarm),
    notices: Type.Optional(Type.Array(Notice)),
    verdict: Type.Optional(
      Type.Array(Finding, {
        description: 'Which model is better; verdicts that you can act on come first',
      }),
    ),
    opening: Opening,
    verdictBasis: Type.Optional(
      Type.Object(
        {
          rung: Type.Enum([...RUNGS], { description: 'Kind of evidence behind the verdict' }),
          since: EventTime('Start of the comparison'),
          at: EventTime('When the verdict was computed'),
          ess: Num('Effective number of users'),
          changed: Type.Optional(Type.String({ description: 'Model that has changed since then' })),
          startsAgain: Type.Optional(EventTime('When the comparison restarts')),
        },
        { description: 'Evidence of the first verdict, if it compares two models' },
      ),
    ),
  },
  {
    description:
      'One tick: all that the page shows for a pane, in one window, metric and aggregation',
  },
);
export type LiveTick = Omit<Wire<Static<typeof LiveTick>>, 'opening'> & {
  readonly opening: SentOpening;
};

/**
 * Build what the page shows for a pane: one window, metric and aggregation. If the query names a
 * window or metric that does not exist, the first one is used; `chosen` says which. Undefined
 * without a window.
 */
export function liveTick(
  snapshot: Snapshot,
  quality: QualityReport,
  query: StreamQuery,
): LiveTick | undefined {
  const choice = liveChoice(snapshot, query);
  if (choice === undefined) return undefined;
  const { window, metric, k, aggregation } = choice;
  const isChosen = (row: { metric: string; k: number | null; form: string }) =>
    row.metric === metric && row.k === k && row.form === aggregation;
  const chosen = {
    ...window,
    results: window.results.filter(isChosen),
  };
  const sent = v1Window(withoutDifferences(chosen, isChosen));
  const verdict = verdictsOn(snapshot);
  const reading = readingOf(quality.topics);
  const more = [...serviceFindings(quality), ...readingFindings(reading)];
  return {
    paneEnd: snapshot.paneEnd,
    models: snapshot.models,
    baseline: snapshot.baseline,
    catalogueSize: snapshot.catalogueSize,
    longestWindowMs: Math.max(...snapshot.windows.map(({ from, to }) => to - from)),
    offered: {
      windows: snapshot.windows.map(({ name }) => name),
      metrics: metricsOf(window),
      estimators: [...new Set(window.results.map(({ estimator }) => estimator))],
      aggregations: [...new Set(window.results.map(({ form }) => form))],
      dimensions: [...(window.segments?.dimensions ?? [])],
    },
    chosen: {
      window: window.name,
      metric,
      k,
      aggregation,
    },
    window: {
      from: window.from,
      to: window.to,
      counts: window.counts,
      estimates: sent.results,
      truth: (snapshot.truth ?? [])
        .filter((row) =>
          isChosen({
            ...row,
            form: row.aggregation,
          }),
        )
        .map(({ model, value }) => ({ model, value })),
      models: window.models,
      effectiveSampleSizes: window.effectiveSampleSizes,
      weightDistribution: window.weightDistribution,
      findings: worded(windowFindings(snapshot, chosen, more)),
      trust: wordedTrust(snapshot, chosen, more),
      sensitivity: window.sensitivity.find((own) => own.metric === metric && own.k === k) ?? null,
      ...besideEstimates(sent),
    },
    sampling: snapshot.sampling,
    popularity: snapshot.popularity,
    lorenz: mapLorenz(snapshot.lorenz),
    propensity: snapshot.propensity,
    quality,
    alarms: snapshot.alarms ?? [],
    ...(snapshot.notices && { notices: snapshot.notices }),
    // The page gets the first verdicts; the API has those on all pairs.
    ...(verdict && { verdict: worded(verdict.slice(0, MOST_VERDICTS)) }),
    opening: openingOf(snapshot, chosen, reading, serviceFindings(quality)),
    ...basisOf(snapshot, verdict?.[0]?.subject.models),
  };
}

/** Evidence behind the verdict on a pair of models; empty without a verdict. */
function basisOf(
  { verdicts = [] }: Snapshot,
  models: readonly string[] = [],
): Pick<LiveTick, 'verdictBasis'> {
  const found = verdicts.find(
    ({ model, reference, reason }) =>
      reason === null && models.includes(model) && models.includes(reference),
  );
  if (found === undefined) return {};
  const { rung, since, at, ess, changed, startsAgain } = found;
  const again =
    changed === undefined
      ? {}
      : {
          changed,
          startsAgain: startsAgain!,
        };
  return {
    verdictBasis: {
      rung,
      since,
      at,
      ess,
      ...again,
    },
  };
}

/**
 * Reduce a window for the page: without differences, and with only the chosen organic estimates.
 */
function withoutDifferences(
  window: WindowSnapshot,
  isChosen: (row: EstimateRow) => boolean,
): WindowSnapshot {
  const { feedback } = window;
  const uncaused = feedback?.uncaused && {
    ...feedback.uncaused,
    results: feedback.uncaused.results.filter(isChosen),
    differences: [],
  };
  return {
    ...window,
    differences: [],
    ...(feedback && {
      feedback: {
        ...feedback,
        uncaused: uncaused ?? null,
      },
    }),
  };
}

/**
 * Collect what may lead a window instead of its estimates: organic estimates, and the reports of
 * features. What the window does not have is left out.
 */
function besideEstimates(window: ReturnType<typeof v1Window<WindowSnapshot>>) {
  const uncaused = window.feedback?.uncaused?.results;
  const names = Object.keys(LIVE_SCHEMAS) as (keyof typeof LIVE_SCHEMAS)[];
  const said = names.flatMap((name) => (window[name] === undefined ? [] : [[name, window[name]]]));
  return {
    ...(uncaused && { uncaused }),
    ...(Object.fromEntries(said) as Pick<typeof window, keyof typeof LIVE_SCHEMAS>),
  };
}

/** Round Lorenz curves to four digits, which suffice for drawing. */
function mapLorenz({ interactions, exposures }: Snapshot['lorenz']): Snapshot['lorenz'] {
  const rounded = (curve: readonly number[]) => curve.map((share) => Math.round(share * 1e4) / 1e4);
  const byModel: Record<string, readonly number[]> = Object.create(null);
  for (const [model, curve] of Object.entries(exposures)) {
    byModel[model] = rounded(curve);
  }
  return {
    interactions: rounded(interactions),
    exposures: byModel,
  };
}
