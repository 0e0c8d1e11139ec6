import { type Sentence, say } from '../sentence.js';

/** A series of the detectors in words; names of models may hold slashes. */
export function seriesWords(series: string): Sentence {
  const [kind, ...rest] = series.split('/');
  const after = (parts: number) => ({ name: rest.slice(parts).join('/') });
  const [estimator = '', label = ''] = rest;
  const metric = { name: label };
  const shown = rest[0] === 'exposures' ? say`what ${after(1)} shows` : say`interactions`;
  switch (kind) {
    case 'lists':
      return say`${after(0)} has sent no lists`;
    case 'estimate':
      return say`${metric} of ${after(2)} by ${estimator} has changed`;
    case 'gap':
      return say`the gap between naive and ${estimator} in ${metric} of ${after(2)} has changed`;
    case 'uncaused':
      return say`${metric} of ${after(2)} by ${estimator}, of what users found by themselves, has changed`;
    case 'on_policy':
      return say`what a shown list of ${after(0)} is worth has changed`;
    case 'value':
      return say`what a list of ${after(1)} is worth by ${estimator} has changed`;
    case 'gini':
      return say`the Gini of ${shown} has changed`;
    case 'popularity':
      return say`the share of popular items in ${shown} has changed`;
    default:
      return say`${{ name: series }} has changed`;
  }
}
