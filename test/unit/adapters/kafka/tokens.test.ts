import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientCredentialsToken } from '../../../../src/adapters/kafka/security/client-credentials.js';
import { mskToken } from '../../../../src/adapters/kafka/security/msk-iam.js';
import { saslOptions, tokenOfFile } from '../../../../src/adapters/kafka/security/sasl.js';
import { expiryOf, TokenCache } from '../../../../src/adapters/kafka/security/token-cache.js';

const jwt = (payload: object) =>
  `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;

describe('a cached token', () => {
  it.each([
    // life, last moment of the old one, in seconds: a fifth before the end, 10 s at least, half at most
    [3600, 2879],
    [30, 19],
    [12, 5],
  ])('of %s s serves all connections until %s s', async (life, last) => {
    let now = 1_000_000;
    let asked = 0;
    const cache = new TokenCache(
      async () => ({ value: `t${++asked}`, since: now, until: now + life * 1000 }),
      () => now,
    );
    const begin = now;
    expect(await Promise.all([cache.get(), cache.get()])).toEqual(['t1', 't1']);
    now = begin + last * 1000;
    expect(await cache.get()).toBe('t1');
    now = begin + (last + 2) * 1000;
    expect(await cache.get()).toBe('t2');
    expect(asked).toBe(2);
  });

  it('is requested again after a failure', async () => {
    let fails = true;
    const cache = new TokenCache(async () => {
      if (fails) throw new Error('away');
      return { value: 't', since: 0, until: Number.POSITIVE_INFINITY };
    });
    await expect(Promise.all([cache.get(), cache.get()])).rejects.toThrow('away');
    fails = false;
    expect(await cache.get()).toBe('t');
  });

  it('is shared only by the clients of one login', () => {
    const login = () =>
      ({
        mechanism: 'oauthbearer',
        source: { kind: 'file', file: '/token' },
        extensions: {},
      }) as const;
    const own = login();
    expect(saslOptions(own)).toBe(saslOptions(own));
    expect(saslOptions(own)).not.toBe(saslOptions(login()));
  });

  it('expires at the `exp` of a JWT, and otherwise never', () => {
    expect(expiryOf(jwt({ exp: 1700 }))).toBe(1_700_000);
    for (const token of ['opaque', 'a.b.c', jwt({ exp: 'soon' }), jwt({})]) {
      expect(expiryOf(token)).toBe(Number.POSITIVE_INFINITY);
    }
  });
});

describe('an issuer', () => {
  let server: Server;
  let answer: { status: number; body: string; headers?: Record<string, string> };
  let seen: { authorization: string | undefined; body: string };
  let tokenUrl: string;
  beforeEach(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen = { authorization: request.headers.authorization, body };
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token?key=k3y`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const client = { clientId: 'id with space', clientSecret: 's%cr:t' };
  const ask = () => clientCredentialsToken({ tokenUrl, ...client, scope: 'a b' }, () => 1000);
  const refusal = async () => {
    const error = await ask().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(`${error?.message}`).not.toMatch(/s%cr|s%25cr|k3y|\n/);
    return error;
  };

  it('is asked as RFC 6749 requires, and its expires_in is used', async () => {
    answer = { status: 200, body: '{"access_token":"t","expires_in":60,"token_type":"Bearer"}' };
    expect(await ask()).toEqual({ value: 't', since: 1000, until: 61_000 });
    const [scheme, login] = (seen.authorization ?? '').split(' ');
    expect(scheme).toBe('Basic');
    expect(Buffer.from(login!, 'base64').toString()).toBe('id+with+space:s%25cr%3At');
    expect(seen.body).toBe('grant_type=client_credentials&scope=a+b');
  });

  it('without expires_in leaves the expiry to the token', async () => {
    answer = { status: 200, body: JSON.stringify({ access_token: jwt({ exp: 9 }) }) };
    expect((await ask()).until).toBe(9000);
  });

  it('that rejects the client causes a permanent error', async () => {
    answer = {
      status: 401,
      body: '{"error":"invalid_client","error_description":"s%cr:t is bad"}',
    };
    const error = await refusal();
    expect(error).toMatchObject({ code: 'BROKER' });
    expect(error?.message).toMatch(/token answers with 401 invalid_client: it refuses the client/);
  });

  it.each([
    [{ status: 503, body: 'away' }, /answers with 503$/],
    [{ status: 429, body: '' }, /answers with 429$/],
    [{ status: 200, body: '[]' }, /without an access_token/],
    [{ status: 200, body: '{"access_token":' }, /without an access_token/],
    [{ status: 200, body: ' '.repeat(300_000) }, /the answer is too long/],
    [{ status: 302, body: '', headers: { location: '/elsewhere' } }, /cannot get a token/],
  ])('that answers %j causes a temporary error', async (broken, said) => {
    answer = broken;
    const error = await refusal();
    expect(error).not.toHaveProperty('code');
    expect(error?.message).toMatch(said);
  });

  it('that is unreachable is named in the error', async () => {
    await new Promise((resolve) => server.close(resolve));
    expect((await refusal())?.message).toMatch(/http:\/\/127.0.0.1:\d+\/token: ECONNREFUSED$/);
    server.listen(0, '127.0.0.1');
  });
});

describe('a token in a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unskew-token-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('expires at its own expiry, or after a minute without one', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'opaque\n');
    expect(await tokenOfFile(file, () => 5)).toEqual({ value: 'opaque', since: 5, until: 60_005 });
    writeFileSync(file, jwt({ exp: 20 }));
    expect((await tokenOfFile(file, () => 5)).until).toBe(20_000);
  });

  it('causes an error that names the file if it is empty or missing', async () => {
    const file = join(folder, 'token');
    await expect(tokenOfFile(file)).rejects.toThrow(`tokenFile ${file}: ENOENT`);
    writeFileSync(file, '\n');
    await expect(tokenOfFile(file)).rejects.toThrow(`tokenFile ${file} is empty`);
  });
});

describe('a token for Amazon MSK', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/K7MDENG+bPx' };

  it.each([
    ['eu-west-1', 'kafka.eu-west-1.amazonaws.com', undefined],
    ['cn-north-1', 'kafka.cn-north-1.amazonaws.com.cn', 'a/session+token=='],
  ])('is a signed request valid for 15 minutes, in %s', async (region, host, sessionToken) => {
    const given = { ...credentials, ...(sessionToken && { sessionToken }) };
    const token = await mskToken(
      region,
      async () => given,
      () => at,
    );
    expect(token.until - token.since).toBe(900_000);
    expect(token.value).toMatch(/^[\w-]+$/);
    const url = new URL(Buffer.from(token.value, 'base64url').toString());
    expect(url.host).toBe(host);
    expect(url.searchParams.get('Action')).toBe('kafka-cluster:Connect');
    expect(url.searchParams.get('X-Amz-Security-Token')).toBe(sessionToken ?? null);
    // The product's name is added after the signature.
    expect([...url.searchParams.keys()].at(-1)).toBe('User-Agent');
    expect(url.searchParams.get('X-Amz-Signature')).toBe(
      signatureOf(url, region, credentials.secretAccessKey),
    );
  });

  it('fails with the reason if there are no credentials', async () => {
    const nobody = () => Promise.reject(new Error('Could not load credentials\n  at somewhere'));
    await expect(mskToken('eu-west-1', nobody)).rejects.toThrow(
      /^no AWS credentials for kafka.sasl.mechanism aws-msk-iam: Could not load credentials$/,
    );
  });
});

/** Signature Version 4, from its definition: task 1 to 3, with the signature in the query. */
function signatureOf(url: URL, region: string, secret: string): string {
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature' && name !== 'User-Agent')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const canonical = ['GET', '/', query, `host:${url.host}\n`, 'host', sha('')].join('\n');
  const date = url.searchParams.get('X-Amz-Date')!;
  const scope = `${date.slice(0, 8)}/${region}/kafka-cluster/aws4_request`;
  expect(url.searchParams.get('X-Amz-Credential')).toBe(`AKIDEXAMPLE/${scope}`);
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha(canonical)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex');
}
