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
  | 'segments'
> &
  FeatureOptions & {
    readonly popularity: PopularityRule;
    readonly gamma: Pick<MonitorOptions['gamma'], 'use' | 'default' | 'fit'>;
    /** Whether somebody will ask what the result is made of. */
    readonly keepsRows?: boolean | undefined;
  };
