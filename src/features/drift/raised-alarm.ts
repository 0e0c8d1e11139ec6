import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { hitShift, modelsBehind, topItems } from './alarm-evidence.js';
import type { DriftOptions } from './drift-options.js';
import { trafficsOf } from './drift-readings.js';
import type { DriftSources } from './drift-sources.js';
import type { Pane } from './pane.js';
import type { Alarm } from './schema.js';
import type { Traffic } from './traffic.js';
import type { Judgement } from './watch.js';

/** Hits of a metric without a cut-off: items among this many first ones of a list. */
const DEPTH_WITHOUT_CUT_OFF = 10;

/** The alarm of a detector that has fired, with the models and items behind it. */
export function* raisedAlarm(
  judgement: Judgement,
  pane: Pane,
  sources: DriftSources,
  options: DriftOptions,
): Generator<void, Alarm> {
  const { series, model, detector, threshold, suppressed, level } = judgement;
  const { score, since, size } = judgement.evidence!;
  const found = {
    ...{ series, detector, since, at: pane.to, score, threshold, size, suppressed },
    ...(level && { level }),
  };
  // That there are no lists is not a matter of any item.
  if (detector === 'vanished') return { ...found, models: [model!], topItems: [] };
  const traffics: Traffic[] = [];
  for (const traffic of trafficsOf(sources, options.windowMs)) {
    traffics.push(traffic);
    yield;
  }
  const ofTraffic = series.startsWith('gini/') || series.startsWith('popularity/');
  // What is rated makes errors of ratings, wherever it stood in a list.
  const whose = isOfRatings(series) ? null : model;
  const shift =
    ofTraffic || isOfRatings(series)
      ? traffics.find((traffic) => traffic.model === whose)!
      : yield* hits(model!, since, sources, options, traffics);
  return {
    ...found,
    models: model === null ? yield* modelsBehind(shift, traffics) : [model],
    topItems: topItems(shift, sources.items),
  };
}

/** `estimate/snips/mse/…`: no metric of lists has the name of one of ratings. */
function isOfRatings(series: string): boolean {
  const [kind, , label = ''] = series.split('/');
  return (kind === 'estimate' || kind === 'gap') && isRatingMetric(label.split('@')[0]);
}

/** Where no rows from before the change are kept any more, all interactions stand in for them. */
function* hits(
  model: string,
  since: number,
  { rows, models, items, tickMs }: DriftSources,
  { metric }: DriftOptions,
  traffics: readonly Traffic[],
) {
  const id = models.find(({ name }) => name === model)!.id;
  const depth = metric?.k ?? DEPTH_WITHOUT_CUT_OFF;
  const shift = yield* hitShift(rows, id, depth, Math.floor(since / tickMs), items.size);
  if (Array.prototype.some.call(shift.before, (count: number) => count > 0)) return shift;
  return { now: shift.now, before: traffics[0].before };
}
