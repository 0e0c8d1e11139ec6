import type { Config } from '../../config.js';
import type { FeatureOptions } from '../../stream/feature-types.js';

export function valueOptions({
  value,
  comparisons,
  decision,
}: Config): Pick<FeatureOptions, 'value'> {
  return { value: { ...value, control: comparisons.control, margin: decision.margin } };
}
