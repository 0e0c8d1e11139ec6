import { describe, expect, it } from 'vitest';
import {
  ADDITIVE_METRICS,
  DEFAULT_METRICS,
  METRICS,
  metricOf,
} from '../../../src/estimators/metrics/registry.js';

/** As label values and JSON have them; names may be added, and none may change its place among these. */
const NAMES = 'recall dcg mrr auc precision ndcg map'.split(' ');

describe('the registry of metrics', () => {
  it('keeps names and their order, and what is computed by default', () => {
    expect(METRICS.filter((name) => NAMES.includes(name))).toEqual(NAMES);
    expect(DEFAULT_METRICS).toEqual(['recall', 'dcg', 'mrr', 'auc']);
  });

  it('tells means of gains from measures of sets', () => {
    for (const name of METRICS) {
      expect(ADDITIVE_METRICS.includes(name)).toBe(metricOf(name).kind !== 'set');
    }
  });
});
