import { describe, expect, it } from 'vitest';
import { redisAddress } from '../../../../src/adapters/redis/connection.js';

describe('the address of a Redis', () => {
  it('names one server, with TLS for rediss', () => {
    expect(redisAddress('redis://h:1')).toEqual({
      options: { host: 'h', port: 1 },
      place: 'Redis at h:1',
    });
    expect(redisAddress('rediss://u:p%40@h/2').options).toEqual({
      host: 'h',
      port: 6379,
      username: 'u',
      password: 'p@',
      db: 2,
      tls: {},
    });
  });

  it('names Sentinels and the name by which they know the server', () => {
    const url = 'rediss-sentinel://u:a%3Ab@one,two:7/lead?db=3&sentinelPassword=s';
    expect(redisAddress(url)).toEqual({
      options: {
        sentinels: [
          { host: 'one', port: 26379 },
          { host: 'two', port: 7 },
        ],
        name: 'lead',
        username: 'u',
        password: 'a:b',
        db: 3,
        sentinelPassword: 's',
        tls: {},
        sentinelTLS: {},
        enableTLSForSentinelMode: true,
        failoverDetector: true,
      },
      place: 'Redis lead of the Sentinels at one,two:7',
    });
  });

  it('shows no password in its description', () => {
    for (const url of [
      'redis://u:secret@h:1',
      'redis-sentinel://u:secret@h/n?sentinelPassword=secret',
    ]) {
      expect(redisAddress(url).place).not.toContain('secret');
    }
  });

  it.each(['redis-sentinel://h:1', 'redis-sentinel://h/n?password=secret', 'redis-sentinel:///n'])(
    'is rejected if it is not valid: %s',
    (url) => {
      expect(() => redisAddress(url)).toThrow(/^Redis: .*expected redis-sentinel:/);
      expect(() => redisAddress(url)).not.toThrow(/secret/);
    },
  );
});
