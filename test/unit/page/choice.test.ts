import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  faultOf,
  readChoice,
  tickQuery,
  timeRange,
  writeChoice,
} from '../../../src/page/choice.js';

describe('a choice', () => {
  it('survives a round trip through the address, with any names', () => {
    const text = fc.string({ unit: 'grapheme' });
    const choice = fc.record({
      model: text,
      metric: text,
      k: text,
      window: text,
      estimator: text,
      aggregation: text,
      span: fc.constantFrom('1h', '6h', '24h'),
      from: fc.constant(''),
      to: fc.constant(''),
      theme: fc.constantFrom('auto', 'light', 'dark'),
      pin: fc.string(),
      hide: fc.string(),
      why: text,
      against: text,
      dimension: text,
    });
    fc.assert(
      fc.property(choice, (own) => {
        expect(readChoice(writeChoice(own as never))).toEqual(own);
      }),
    );
  });

  it('that is the default or unknown is not in the address', () => {
    expect(writeChoice(readChoice(''))).toBe('');
    expect(writeChoice(readChoice('?span=3y&theme=pink&foreign=1'))).toBe('');
  });

  it('requests only the parameters that determine a tick', () => {
    const choice = readChoice('?model=a&metric=dcg&k=none&window=1h&estimator=gs&span=6h');
    expect(tickQuery(choice)).toBe('window=1h&metric=dcg&k=none');
  });
});

describe('a custom time range', () => {
  const at = (text: string) => Date.parse(`${text}:00Z`);

  it('is in the address and sets the time axes', () => {
    const query = '?span=own&from=2026-01-31T12%3A00&to=2026-01-31T13%3A30';
    const choice = readChoice(query);
    expect(writeChoice(choice)).toBe(query);
    const range = { since: at('2026-01-31T12:00'), until: at('2026-01-31T13:30') };
    expect(timeRange(choice, at('2026-02-01T00:00'))).toEqual(range);
    const open = readChoice('?span=own&from=2026-01-31T12%3A00');
    expect(timeRange(open, 0)).toEqual({ ...range, until: Number.POSITIVE_INFINITY });
  });

  it.each([
    ['without a start', '', ''],
    ['with a date only', '2026-01-31', ''],
    ['on a day that does not exist', '2026-13-31T12:00', ''],
    ['that ends before it begins', '2026-01-31T12:00', '2026-01-31T11:59'],
    ['that ends where it begins', '2026-01-31T12:00', '2026-01-31T12:00'],
    ['with an invalid end', '2026-01-31T12:00', 'later'],
    ['before 1970', '1969-01-31T12:00', ''],
  ])('%s is an error, and becomes the default span in an address', (_, from, to) => {
    expect(faultOf(from, to)).not.toBe('');
    const query = `?${new URLSearchParams({ span: 'own', from, to })}`;
    expect(readChoice(query)).toMatchObject({ span: '24h', from: '', to: '' });
  });

  it('is dropped if another span is chosen', () => {
    const choice = readChoice('?span=6h&from=2026-01-31T12%3A00');
    expect(writeChoice(choice)).toBe('?span=6h');
    const day = at('2026-02-01T00:00');
    expect(timeRange(choice, day).since).toBe(day - 6 * 3_600_000);
  });
});
