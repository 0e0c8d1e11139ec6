import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../../../src/config/keys/export.js';
import { loadConfig } from '../../../src/config.js';

const load = (overrides: Record<string, string>) => loadConfig({ env: {}, overrides });
const nightly = { 'export.schedule': '0 3 * * *', 'export.out': 'sets' };

describe('the export settings', () => {
  it('take a cron expression, with seconds or without, in a time zone', () => {
    const zoned = load({ ...nightly, 'export.schedule': 'TZ=Europe/Berlin 0 3 * * *' });
    expect(scheduleOf(zoned.export.schedule!)).toEqual({
      cron: '0 3 * * *',
      timeZone: 'Europe/Berlin',
    });
    const { schedule } = load({ ...nightly, 'export.schedule': '*/5 * * * * *' }).export;
    expect(scheduleOf(schedule!)).toEqual({ cron: '*/5 * * * * *', timeZone: 'UTC' });
  });

  it.each([
    [{ 'export.schedule': 'at night' }, /export\.schedule: not a cron expression/],
    [
      { 'export.schedule': '0 0 31 2 *' },
      /export\.schedule: expected a schedule that is due at some time/,
    ],
    [{ 'export.schedule': 'TZ=Mars/Olympus 0 3 * * *' }, /export\.schedule: expected a time zone/],
    [{ 'export.range': '0s' }, /export\.range: expected more than 0/],
    [{ 'export.split': '1' }, /export\.split: expected a number between 0 and 1/],
  ])('refuse %j', (more, message) => {
    expect(() => load({ ...nightly, ...more })).toThrow(message);
  });

  it('require export.out if there is a schedule', () => {
    expect(() => load({ 'export.schedule': '0 3 * * *' })).toThrow(
      /export\.out: expected a folder or s3/,
    );
  });
});
