import type { EstimateRow } from '../../estimators/results/estimate.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { DriftOptions } from './drift-options.js';

export type WeightOf = (row: Pick<EstimateRow, 'ess' | 'stdErr'>) => number;

/** What a value counts against others of its series. */
export function weightOf(standardisation: DriftOptions['standardisation']): WeightOf {
  return standardisation === 'ranks'
    ? ({ ess }) => ess
    : ({ stdErr }) => (stdErr > 0 ? stdErr ** -2 : 0);
}

/** Why no alarm may rest on so few; null where one may. */
export function tooFewUsers({ ess }: Pick<EstimateRow, 'ess'>): string | null {
  return ess >= FEW_USERS ? null : `effective sample size ${ess.toFixed(1)} is below ${FEW_USERS}`;
}
