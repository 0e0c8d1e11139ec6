import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { serve, type TestServer } from '../../support/http-server.js';

const TOKEN = 'correct-horse-battery-staple';
const open: TestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function started(...args: Parameters<typeof serve>): Promise<TestServer> {
  const server = await serve(...args);
  open.push(server);
  return server;
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('with a token', () => {
  const GUARDED = [
    '/metrics',
    '/docs/json',
    '/docs/yaml',
    '/api/v1/estimates',
    '/api/v1/estimates/history',
    '/api/v1/popularity',
    '/api/v1/propensity',
    '/api/v1/items/a',
    '/api/v1/users/a',
    '/api/v1/why?model=good&metric=recall&k=10',
    '/api/v1/alarms',
    '/api/v1/stream',
    '/nothing/there',
    '/api/v1/%2e%2e/healthz',
  ];

  it('only health checks are answered without it', async () => {
    const { address } = await started({ token: TOKEN, snapshot: makeSnapshot() });
    for (const path of GUARDED) {
      for (const init of [{}, bearer('wrong-token-of-some-length'), bearer('')]) {
        const response = await fetch(address + path, init);
        expect([400, 401], path).toContain(response.status);
        expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(response.headers.get('www-authenticate'), path).toMatch(/^Bearer/);
        expect(await response.text()).not.toContain('good');
      }
    }
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(address + path)).status, path).toBe(200);
    }
  });

  it('all routes are answered with it', async () => {
    const { address } = await started({ token: TOKEN, snapshot: makeSnapshot() });
    for (const path of ['/metrics', '/docs/json', '/api/v1/estimates', '/api/v1/alarms']) {
      expect((await fetch(address + path, bearer(TOKEN))).status, path).toBe(200);
    }
    expect((await fetch(`${address}/nothing`, bearer(TOKEN))).status).toBe(404);
  });

  it('it is accepted only in the header, not in the URL', async () => {
    const { address } = await started({ token: TOKEN, snapshot: makeSnapshot() });
    expect((await fetch(`${address}/api/v1/alarms?token=${TOKEN}`)).status).toBe(401);
  });

  it('the log of a failed request does not contain it', async () => {
    let logged = '';
    const write = (line: string) => {
      logged += line;
    };
    const log = pino({}, { write });
    const { address } = await started({
      token: TOKEN,
      log,
      latest: () => {
        throw new Error('inner matter');
      },
    });
    const response = await fetch(`${address}/api/v1/estimates`, bearer(TOKEN));
    expect(response.status).toBe(500);
    expect(logged).toContain('inner matter');
    expect(logged).not.toContain(TOKEN);
    expect(await response.text()).not.toContain('inner matter');
  });
});

describe('limits', () => {
  it('reject clients that ask too often, also with wrong tokens, but not health checks', async () => {
    const { address } = await started({ token: TOKEN, rateLimit: 5 });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) {
      statuses.push((await fetch(`${address}/nothing/${n}`, bearer(`guess-number-${n}`))).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const refused = await fetch(`${address}/api/v1/alarms`, bearer(TOKEN));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ title: 'Too Many Requests', status: 429 });
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it('apply per client address, whatever its headers say', async () => {
    const { address } = await started({ rateLimit: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) {
      const client = `10.0.0.${n}`;
      const headers = {
        'x-forwarded-for': client,
        forwarded: `for=${client}`,
        'x-real-ip': client,
        'x-client-ip': client,
        'cf-connecting-ip': client,
      };
      statuses.push((await fetch(`${address}/api/v1/alarms`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it('are off at 0', async () => {
    const { address } = await started({ rateLimit: 0 });
    for (let n = 0; n < 30; n++) expect((await fetch(`${address}/api/v1/alarms`)).status).toBe(200);
  });

  it('reject overlong bodies and ids', async () => {
    const { address } = await started({ snapshot: makeSnapshot() });
    const long = await fetch(`${address}/api/v1/items/${'x'.repeat(5000)}`);
    expect([400, 404, 414]).toContain(long.status);
    const method = await fetch(`${address}/api/v1/estimates`, {
      method: 'POST',
      body: 'x'.repeat(100_000),
    });
    expect([405, 413, 415]).toContain(method.status);
  });
});

it('every answer carries the security headers', async () => {
  const { address } = await started({ snapshot: makeSnapshot() });
  for (const path of ['/', '/docs', '/metrics', '/api/v1/estimates', '/nothing', '/healthz']) {
    const { headers } = await fetch(address + path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin');
  }
});

it('compresses answers on request, but not the stream', async () => {
  const { address } = await started({ snapshot: makeSnapshot() });
  const init = { headers: { 'accept-encoding': 'br' } };
  const estimates = await fetch(`${address}/api/v1/estimates`, init);
  expect(estimates.headers.get('content-encoding')).toBe('br');
  expect(await estimates.json()).toMatchObject({ models: ['good', 'popular'] });
  const stream = await fetch(`${address}/api/v1/stream`, init);
  expect(stream.headers.get('content-encoding')).toBeNull();
  await stream.body!.cancel();
});
