import type { EstimatorName } from '../../src/estimators/names.js';
import type { EstimatorOracle } from './estimator-oracle.js';
import { gs } from './gs.js';
import { drawing } from './intervened.js';
import { ips } from './ips.js';
import { naive } from './naive.js';
import { raked } from './raked.js';
import { snips } from './snips.js';
import { ure } from './ure.js';

/** Every estimator's definition; that none is missing is for the tests to say. */
export const ORACLES: Readonly<Partial<Record<EstimatorName, EstimatorOracle>>> = {
  naive,
  ips,
  snips,
  gs,
  full: drawing('full'),
  reg: drawing('reg'),
  skew: drawing('skew'),
  wtd: drawing('wtd'),
  wtd_h: drawing('wtd_h'),
  wtd_ipf: raked,
  ure,
};
