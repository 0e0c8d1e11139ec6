import { UNCORRECTED } from '../../estimators/names.js';
import { comparedModels } from '../../findings/rankings.js';
import { shownModels, type View } from '../view.js';

/** Which gap is looked at. */
export interface AskedGap {
  readonly model: string;
  /** Another model; empty for uncorrected. */
  readonly against: string;
}

/** What was chosen, where there is such a model; else the model that correction moves most. */
export function askedGap(view: View): AskedGap | undefined {
  const { tick, choice, estimator } = view;
  const models = shownModels(view);
  const against = tick.models.includes(choice.against) ? choice.against : '';
  if (tick.models.includes(choice.why)) {
    return { model: choice.why, against: against === choice.why ? '' : against };
  }
  const moved = comparedModels(tick.window.estimates, models, estimator).sort(
    (a, b) => Math.abs(b.share) - Math.abs(a.share),
  );
  const model = moved[0]?.model ?? models[0];
  if (model === undefined) return undefined;
  return { model, against: against === model ? '' : against };
}

/** What the service is asked for; undefined where nothing is compared. */
export function gapQuery(
  { tick: { chosen }, estimator }: Pick<View, 'tick' | 'estimator'>,
  { model, against }: AskedGap,
): string | undefined {
  if (estimator === UNCORRECTED && against === '') return undefined;
  const { window, metric, k, aggregation } = chosen;
  const query = new URLSearchParams({ window, metric, k: String(k ?? 'none'), aggregation });
  query.set('model', model);
  query.set('estimator', estimator);
  if (against !== '') query.set('against', against);
  return query.toString();
}
