import type { Config } from '../../config.js';
import type { FeatureOptions } from '../../stream/feature-types.js';

export function valueOptions(
  { value, comparisons, experiment, events }: Config,
  judged: Pick<NonNullable<FeatureOptions['value']>, 'margin'>,
): Pick<FeatureOptions, 'value'> {
  const { split, reward: earning } = experiment;
  const { click = 1, ...others } = events.actions;
  const hasOtherClicks = Object.values(others).includes(click);
  const test = { hasOtherClicks, ...(split && { split }), ...(earning && { earning }) };
  return { value: { ...value, ...judged, control: comparisons.control, test } };
}

/** What an A/B test reads of events beside what all have. */
export function valuesDecoded({ experiment: { reward } }: Config): { readonly earning?: string } {
  return reward === undefined ? {} : { earning: reward.action };
}
