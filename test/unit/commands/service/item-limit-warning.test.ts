import { expect, it } from 'vitest';
import { ItemLimitWarning } from '../../../../src/commands/service/service-log.js';

it('events above the item limit are logged once a minute, with their number', () => {
  let now = 5;
  const told: unknown[] = [];
  const log = { warn: (what: unknown) => told.push(what) } as never;
  const warning = new ItemLimitWarning(log, 100, () => now);
  warning.add(0);
  expect(told).toEqual([]);
  warning.add(3);
  for (now = 1000; now < 60_005; now += 1000) warning.add(2);
  expect(told).toEqual([{ events: 3, limit: 100 }]);
  now = 60_005;
  warning.add(0);
  expect(told).toEqual([
    { events: 3, limit: 100 },
    { events: 120, limit: 100 },
  ]);
});
