import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.js';

const load = (overrides: Record<string, string>) => loadConfig({ env: {}, overrides });
const REDIS = { 'state.store': 'redis', 'state.redisUrl': 'redis://127.0.0.1:1' };
const learned = {
  ...{ 'shadow.kind': 'mf-ips', 'shadow.schedule': '0 4 * * *', 'shadow.out': 'lists' },
  'shadow.propensities': 'nb',
};

describe('the settings of a learned baseline', () => {
  it('leave it out unless a kind is named, and take one with what it is learned by', () => {
    expect(load({}).shadow.kind).toBe('none');
    const { shadow } = load({ ...learned, 'shadow.factors': '20', 'shadow.lambda': '0.001' });
    expect(shadow).toMatchObject({ kind: 'mf-ips', factors: 20, lambda: 0.001, seed: 1 });
  });

  it.each([
    [{ 'shadow.kind': 'svd' }, /shadow\.kind: expected .*mf-ips/],
    [{ 'shadow.schedule': 'at night' }, /shadow\.schedule: no cron expression/],
    [{ 'shadow.timeZone': 'Mars/Olympus' }, /shadow\.schedule: expected a time zone/],
    [{ 'shadow.propensities': 'logged' }, /shadow\.propensities: expected nb or a file: lists/],
    [{ 'shadow.neighbours': '5' }, /shadow\.neighbours: has no use as shadow\.kind is mf-ips/],
    [{ 'shadow.name': 'popularity' }, /shadow\.name: expected another name than popularity/],
    [{ 'shadow.kind': 'mf' }, /shadow\.propensities: has no use as shadow\.kind is mf/],
    [{ 'shadow.kind': 'none' }, /shadow\.out: has no use as shadow\.kind is none/],
  ])('refuse %j', (more, message) => {
    expect(() => load({ ...learned, ...more })).toThrow(message);
  });

  it.each([
    ['schedule', /shadow\.schedule: expected a cron expression, as shadow\.kind is mf-ips/],
    ['out', /shadow\.out: expected a place, as shadow\.kind is mf-ips/],
    ['propensities', /shadow\.propensities: expected nb or a file, as shadow\.kind is mf-ips/],
  ])('want %s', (key, message) => {
    const { [`shadow.${key}` as keyof typeof learned]: _, ...rest } = learned;
    expect(() => load(rest)).toThrow(message);
  });

  it('let workers share partitions that agree on who learns', () => {
    const together = { ...learned, ...REDIS };
    expect(load(together).workers.exchange).toBe('redis');
    expect(load({ ...learned, ...REDIS, 'workers.exchange': 'none' }).shadow.kind).toBe('mf-ips');
  });
});
