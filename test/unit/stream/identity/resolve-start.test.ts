import { describe, expect, it } from 'vitest';
import { resolveStart } from '../../../../src/stream/resolve-start.js';

describe('where reading starts', () => {
  const range = { low: 10, high: 20 };

  it.each([
    ['earliest' as const, { next: 10 }],
    ['latest' as const, { next: 20 }],
    [10, { next: 10, check: { verdict: { kind: 'same' } } }],
    [20, { next: 20, check: { verdict: { kind: 'same' } } }],
    [9, { next: 10, lostFrom: 9 }],
    [21, { next: 21, check: { verdict: { kind: 'recreated', found: 10 } } }],
  ])('for %s is %j', (start, expected) => {
    expect(resolveStart(start, range)).toMatchObject(expected);
  });

  it('waits for a verdict where there is something to compare', () => {
    const mark = { offset: 14, ts: 0, hash: 1, epoch: 0 };
    const { check } = resolveStart({ next: 15, marks: [mark] }, range);
    expect(check).toMatchObject({ at: 14, verdict: undefined });
  });
});
