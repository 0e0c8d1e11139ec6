import { describe, expect, it } from 'vitest';
import { isoTimestampMs } from '../../../../src/events/timestamp.js';

function read(text: string): number {
  const bytes = new TextEncoder().encode(`"${text}"9Z`);
  return isoTimestampMs(bytes, 1, bytes.length - 3);
}

describe('isoTimestampMs', () => {
  it('refuses the days that a month does not have', () => {
    for (let year = 1896; year <= 2004; year++) {
      for (let month = 1; month <= 12; month++) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const prefix = `${year}-${String(month).padStart(2, '0')}`;
        expect(read(`${prefix}-${days}T00:00:00Z`)).not.toBeNaN();
        expect(read(`${prefix}-${days + 1}T00:00:00Z`)).toBeNaN();
        expect(read(`${prefix}-00T00:00:00Z`)).toBeNaN();
      }
    }
  });

  it.each([
    ['2025-03-04T05:06Z', '2025-03-04T05:06:00.000Z'],
    ['2025-03-04T05:06:07Z', '2025-03-04T05:06:07.000Z'],
    ['2025-03-04T05:06:07.8Z', '2025-03-04T05:06:07.800Z'],
    ['2025-03-04T05:06:07,89Z', '2025-03-04T05:06:07.890Z'],
    ['2025-03-04T05:06:07.891999999Z', '2025-03-04T05:06:07.891Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2025-03-04T05:06:07+02:30', '2025-03-04T02:36:07.000Z'],
    ['2025-03-04T05:06:07-0230', '2025-03-04T07:36:07.000Z'],
    ['2025-03-04T05:06:07.5-11', '2025-03-04T16:06:07.500Z'],
    ['2025-03-04T05:06+00:00', '2025-03-04T05:06:00.000Z'],
  ])('reads %s', (text, same) => {
    expect(read(text)).toBe(Date.parse(same));
  });
});
