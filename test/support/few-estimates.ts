import { IS_LONG } from './repetitions.js';

/**
 * What is estimated where only faults differ: a plain estimator, a weighted and an intervention, of
 * one metric. All of them, which the long form has, are a tick of many times the length.
 */
export const FEW_ESTIMATES: Readonly<Record<string, string>> = IS_LONG
  ? {}
  : {
      UNSKEW_ESTIMATES_METRICS: 'recall',
      UNSKEW_ESTIMATES_KS: '10',
      UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips,skew',
    };
