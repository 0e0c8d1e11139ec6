import { METRICS } from '../../src/estimators/metrics/registry.js';
import { metricContract } from './metric.js';

for (const name of METRICS) metricContract(name);
