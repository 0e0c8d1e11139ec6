import type { PopularityRule } from '../state/counts/popularity-rule.js';
import type { FeatureOptions } from './feature-types.js';
import type { MonitorOptions } from './options.js';

/** Of a stream's options, those that do not concern time. */
export type EvaluationOptions = Pick<
  MonitorOptions,
  | 'attributionTtlMs'
  | 'positiveMinValue'
  | 'actions'
  | 'catalogueSize'
  | 'maxModels'
  | 'baseline'
  | 'estimates'
  | 'limits'
  | 'value'
  | 'decision'
  | 'segments'
> &
  FeatureOptions & {
    readonly popularity: PopularityRule;
    readonly gamma: Pick<MonitorOptions['gamma'], 'use' | 'default' | 'fit'>;
    /** Whether `gaps` will be asked for, which keeps the rows for it. */
    readonly asksWhy?: boolean | undefined;
  };
