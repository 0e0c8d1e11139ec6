import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownHost } from '../../../src/outputs/http/guard.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { serve, type TestServer } from '../../support/http-server.js';

/** Names that the shared server goes by besides addresses and localhost. */
const HOSTS = ['unskew.example.com', '*.svc.local'];
let server: TestServer;
beforeAll(async () => {
  server = await serve({ snapshot: makeSnapshot(), hosts: HOSTS });
});
afterAll(() => server.close());

/** The status of a request with headers that `fetch` does not allow. */
function statusOf(
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
  { address } = server,
): Promise<{ status: number; type: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method, headers }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode!, type: answer.headers['content-type'] });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the Host header', () => {
  const REBOUND = [
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
  ];
  const ODD = ['localhost@evil.example', '[evil]', '[127.0.0.1]', '0x7f.1', '127.1', 'a b'];

  it.each([...REBOUND, ...ODD])('is rejected if it names another host: %j', async (host) => {
    for (const path of ['/', '/metrics', '/api/v1/estimates', '/docs/json', '/nothing']) {
      const { status, type } = await statusOf(path, { host });
      expect([400, 421], path).toContain(status);
      if (status === 421) expect(type).toMatch(/^application\/problem\+json/);
    }
  });

  it.each(['127.0.0.1', '10.1.2.3:9464', '[::1]:9464', '[fe80::1]', 'localhost', 'LocalHost.:80'])(
    'may be an address or localhost: %s',
    async (host) => {
      expect((await statusOf('/api/v1/estimates', { host })).status).toBe(200);
    },
  );

  it('may be a configured name, with a port and in any case, or match a wildcard', async () => {
    const answers = async (host: string) => (await statusOf('/api/v1/estimates', { host })).status;
    expect(await answers('Unskew.Example.com:443')).toBe(200);
    expect(await answers('a.b.svc.local')).toBe(200);
    expect(await answers('svc.local')).toBe(421);
    expect(await answers('xsvc.local')).toBe(421);
    expect(await answers('example.com')).toBe(421);
  });

  it('may be any name if `*` is configured', () => {
    expect(knownHost(['*'])('whatever')).toBe(true);
    expect(knownHost(['*'])('what ever')).toBe(false);
    expect(knownHost([])(undefined)).toBe(false);
  });

  it('is not checked for health routes', async () => {
    expect((await statusOf('/healthz', { host: 'balancer.internal' })).status).toBe(200);
    expect((await statusOf('/readyz', { host: 'balancer.internal' })).status).toBe(200);
  });
});

describe('the check of the origin', () => {
  const refused = async (headers: Readonly<Record<string, string>>) =>
    (await statusOf('/api/v1/exports', headers, 'POST')).status === 403;

  it('rejects changes from pages of other sites', async () => {
    const { host } = new URL(server.address);
    for (const origin of [
      'null',
      'http://evil.example',
      'http://localhost:3000',
      'http://127.0.0.1',
      'https://10.0.0.5',
      'http://unskew.example.com',
      'https://unskew.example.com:8443',
      'nonsense',
    ]) {
      expect(await refused({ host, origin }), origin).toBe(true);
    }
    expect(await refused({ host, 'sec-fetch-site': 'cross-site' })).toBe(true);
    expect(await refused({ host, 'sec-fetch-site': 'same-site' })).toBe(true);
  });

  it('accepts changes from its own page, also behind a proxy, and from programs', async () => {
    const { host } = new URL(server.address);
    expect(await refused({ host, origin: server.address })).toBe(false);
    const own = { origin: server.address, 'sec-fetch-site': 'same-origin' };
    expect(await refused({ host, ...own })).toBe(false);
    expect(await refused({ host, origin: 'https://unskew.example.com' })).toBe(false);
    expect(await refused({ host })).toBe(false);
  });

  it('does not apply to requests that only read', async () => {
    const headers = { origin: 'http://evil.example' };
    expect((await statusOf('/api/v1/estimates', headers)).status).toBe(200);
  });
});
