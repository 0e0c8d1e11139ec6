import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { estimatorContract } from './estimator.js';

for (const name of ESTIMATORS) estimatorContract(name);
