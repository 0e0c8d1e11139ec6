import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTimestampMs } from '../../../../src/events/timestamp.js';

function read(text: string): number {
  const bytes = new TextEncoder().encode(`"${text}"9Z`);
  return isoTimestampMs(bytes, 1, bytes.length - 3);
}

describe('isoTimestampMs', () => {
  it('reads what Date writes, for every year of four digits', () => {
    const date = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (date) => {
        expect(read(date.toISOString())).toBe(date.getTime());
      }),
      {
        numRuns: 2000,
      },
    );
  });

  it('agrees with Date on every day of four centuries', () => {
    const differing: string[] = [];
    for (let day = Date.UTC(1899, 0, 1); day < Date.UTC(2301, 0, 1); day += 86_400_000) {
      const text = new Date(day).toISOString();
      if (read(text) !== day) differing.push(text);
    }
    expect(differing).toEqual([]);
  });

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

  it.each([
    '',
    'Z',
    '2025-03-04',
    '2025-03-04T05:06:07',
    '2025-03-04T05:06:07.891',
    '2025-03-04T05:06:07.Z',
    '2025-03-04T05:06:Z',
    '2025-03-04T05Z',
    '2025-03-04 05:06:07Z',
    '2025-03-04t05:06:07Z',
    '2025-03-04T05:06:07z',
    '2025-03-04T24:00:00Z',
    '2025-03-04T05:60:00Z',
    '2025-03-04T23:59:60Z',
    '2025-13-04T05:06:07Z',
    '2025-00-04T05:06:07Z',
    '2025-02-29T05:06:07Z',
    '1900-02-29T05:06:07Z',
    '20250304T050607Z',
    '+002025-03-04T05:06:07Z',
    '-002025-03-04T05:06:07Z',
    '2025-03-04T05:06:07Zx',
    '2025-03-04T05:06:07+24:00',
    '2025-03-04T05:06:07+02:60',
    '2025-03-04T05:06:07+02:3',
    '2025-03-04T05:06:07+',
    '2025-03-04T05:06:07x02',
    '２025-03-04T05:06:07Z',
    `2025-03-04T05:06:07.${'0'.repeat(60)}Z`,
  ])('refuses %s', (text) => {
    expect(read(text)).toBeNaN();
  });
});
