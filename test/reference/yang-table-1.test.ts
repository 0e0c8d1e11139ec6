import { describe, expect, it } from 'vitest';
import { observedValues, trueValue, YANG_TABLE_1 } from './yang-table-1.js';

describe('Yang et al. 2018, Table 1 (dcg of 12 items, 8 relevant, 4 observed)', () => {
  for (const row of YANG_TABLE_1) {
    it(`has the published true value, naive and SNIPS of list ${row.list}`, () => {
      expect(trueValue(row).toFixed(5)).toBe(row.truth);
      const results = observedValues(row);
      for (const { estimator, value } of results) {
        if (estimator === 'naive') expect(value.toFixed(5)).toBe(row.naive);
        else if (row.snips !== null) expect(value.toFixed(5)).toBe(row.snips);
      }
      expect(results.length).toBe(4);
    });
  }
});
