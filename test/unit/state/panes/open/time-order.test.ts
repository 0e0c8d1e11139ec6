import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeOrder } from '../../../../../src/state/panes/time-order.js';

it('orders by time and keeps the order of arrival among equals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -8e15, max: 8e15 }))),
      (times) => {
        const wanted = times.map((_, r) => r).sort((a, b) => times[a] - times[b] || a - b);
        expect([...timeOrder(Float64Array.from(times), times.length)]).toEqual(wanted);
      },
    ),
  );
});
