import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.js';

const load = (overrides: Record<string, string>) => loadConfig({ env: {}, overrides });
const nightly = { 'export.schedule': '0 3 * * *', 'export.out': 'sets' };

describe('the settings of sets', () => {
  it('take a cron expression, with seconds or without, in a time zone', () => {
    const zone = { 'export.timeZone': 'Europe/Berlin' };
    expect(load({ ...nightly, ...zone }).export.schedule).toBe('0 3 * * *');
    expect(load({ ...nightly, 'export.schedule': '*/5 * * * * *' }).export.timeZone).toBe('UTC');
  });

  it.each([
    [{ 'export.schedule': 'at night' }, /export\.schedule: no cron expression/],
    [{ 'export.schedule': '0 0 31 2 *' }, /export\.schedule: is never due/],
    [{ 'export.timeZone': 'Mars/Olympus' }, /export\.timeZone: expected a time zone/],
    [{ 'export.range': '0s' }, /export\.range: expected more than 0/],
    [{ 'export.leaseTtl': '1s' }, /export\.leaseTtl: expected at least 3s/],
    [{ 'export.split': '1' }, /export\.split: expected a number between 0 and 1/],
    [
      { 'export.redis': 'localhost' },
      /export\.redis: expected a redis:\/\/ or redis-sentinel:\/\/ address, found \(hidden\)/,
    ],
  ])('refuse %j', (more, message) => {
    expect(() => load({ ...nightly, ...more })).toThrow(message);
  });

  it('want a place where there is a schedule', () => {
    expect(() => load({ 'export.schedule': '0 3 * * *' })).toThrow(/export\.out: expected a place/);
  });
});
