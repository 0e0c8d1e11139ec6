import { IS_LONG } from './repetitions.js';

/** A plain estimator, a weighted and an intervention, of one metric. */
export const THREE_ESTIMATES: Readonly<Record<string, string>> = {
  UNSKEW_ESTIMATES_METRICS: 'recall',
  UNSKEW_ESTIMATES_KS: '10',
  UNSKEW_ESTIMATES_ESTIMATORS: 'naive,snips,skew',
};

/**
 * What is estimated where only faults differ. All of them, which the long form has, are a tick of
 * many times the length.
 */
export const FEW_ESTIMATES: Readonly<Record<string, string>> = IS_LONG ? {} : THREE_ESTIMATES;
