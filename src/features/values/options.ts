import type { Config } from '../../config.js';
import type { FeatureOptions } from '../../stream/feature-types.js';

export function valueOptions(
  { value, comparisons }: Config,
  judged: Pick<NonNullable<FeatureOptions['value']>, 'margin'>,
): Pick<FeatureOptions, 'value'> {
  return { value: { ...value, ...judged, control: comparisons.control } };
}
