import type { Config } from '../../config.js';
import type { FeatureOptions } from '../../stream/feature-types.js';

export function valueOptions({ value, comparisons }: Config): Pick<FeatureOptions, 'value'> {
  return { value: { ...value, control: comparisons.control } };
}
