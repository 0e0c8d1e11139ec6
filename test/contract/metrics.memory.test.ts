import { METRICS } from '../../src/gains/registry.js';
import { metricContract } from './metric.js';

for (const name of METRICS) metricContract(name);
