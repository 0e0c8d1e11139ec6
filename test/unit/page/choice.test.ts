import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChoice, tickQuery, writeChoice } from '../../../src/page/choice.js';

describe('a choice', () => {
  it('comes back from the address that holds it, whatever the names are', () => {
    const text = fc.string({ unit: 'grapheme' });
    const choice = fc.record({
      ...{ model: text, metric: text, k: text, window: text, estimator: text, aggregation: text },
      span: fc.constantFrom('1h', '6h', '24h'),
      theme: fc.constantFrom('auto', 'light', 'dark'),
      pin: fc.string(),
      hide: fc.string(),
    });
    fc.assert(
      fc.property(choice, (own) => {
        expect(readChoice(writeChoice(own as never))).toEqual(own);
      }),
    );
  });

  it('that was not made leaves no trace in the address', () => {
    expect(writeChoice(readChoice(''))).toBe('');
    expect(writeChoice(readChoice('?span=3y&theme=pink&foreign=1'))).toBe('');
  });

  it('asks the service for what decides a tick alone', () => {
    const choice = readChoice('?model=a&metric=dcg&k=none&window=1h&estimator=gs&span=6h');
    expect(tickQuery(choice)).toBe('window=1h&metric=dcg&k=none');
  });
});
