import { createConnection } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryMarkStore } from '../../../src/adapters/memory/mark-store.js';
import { MarkBook } from '../../../src/commands/service/mark-book.js';
import { UnskewError } from '../../../src/errors.js';
import { History } from '../../../src/outputs/history/history.js';
import type { Check } from '../../../src/outputs/http/routes/service-routes.js';
import { createServer, type HttpServer } from '../../../src/outputs/http/server.js';
import { v1Window } from '../../../src/outputs/json/v1.js';
import { Exporter } from '../../../src/outputs/prometheus/exporter.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const STALE = { code: 'stale', severity: 'problem', since: 1_700_000_000_000 } as const;
const STALE_WORDS = {
  subject: { topics: ['secret.topic'] },
  figures: {},
  label: 'Stale',
  text: 'The newest event came 2 h ago.',
  remedy: 'Check what sends them.',
};

const open: HttpServer[] = [];
const lasting: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface World {
  snapshot?: Snapshot;
  isElsewhere?: boolean;
  health?: Check[];
  readiness?: Check[];
  port?: number;
  fail?: Error;
  logged?: string[];
}

async function serve(world: World = {}): Promise<string> {
  const exporter = new Exporter({ maxModels: 4, version: '1.2.3', topics: [] });
  if (world.snapshot) exporter.update(world.snapshot);
  const server = await createServer({
    host: '127.0.0.1',
    port: world.port ?? 0,
    version: '1.2.3',
    streamsPerAddress: 1000,
    windows: ['1h', '24h'],
    exporter,
    history: new History({ keepMs: 86_400_000 }),
    quality: () => ({ ready: true, checks: [], topics: [] }),
    // Topic names are only for clients that may read the numbers.
    state: () => ({ states: [{ ...STALE, ...STALE_WORDS }], arrivals: null }),
    lookup: () => undefined,
    marks: new MarkBook(new MemoryMarkStore()),
    latest: () => {
      if (world.fail) throw world.fail;
      return world.snapshot;
    },
    isElsewhere: () => world.isElsewhere === true,
    health: () => world.health ?? [{ name: 'consumer', ok: true }],
    readiness: () => world.readiness ?? [],
    log: {
      error: (fields, message) =>
        world.logged?.push(`${message} ${String(Object.values(fields)[0])}`),
    },
  });
  open.push(server);
  return server.address;
}

/** The snapshot as it was computed; findings are added when it is sent. */
function withoutFindings(body: unknown): unknown {
  const { windows, ...rest } = body as Snapshot;
  const computed = windows.map((window) => {
    const { findings, trust, ...own } = window as typeof window & Record<string, unknown>;
    expect(findings).toBeInstanceOf(Array);
    expect(trust).toMatchObject({ answer: expect.any(String) });
    return own;
  });
  return { ...rest, windows: computed };
}

describe('the API', () => {
  it('gives the newest snapshot as JSON, each time', async () => {
    const snapshot = makeSnapshot({ start: 3 });
    const world: World = { snapshot };
    const address = await serve(world);
    const first = await fetch(`${address}/api/v1/estimates`);
    expect(first.headers.get('content-type')).toMatch(/^application\/json/);
    expect(withoutFindings(await first.json())).toEqual(
      JSON.parse(
        JSON.stringify({ ...snapshot, windows: snapshot.windows.map((each) => v1Window(each)) }),
      ),
    );
    world.snapshot = makeSnapshot({ start: 4, paneEnd: 1_700_000_100_000 });
    const second = (await (await fetch(`${address}/api/v1/estimates`)).json()) as Snapshot;
    expect(second.paneEnd).toBe(1_700_000_100_000);
  });

  // One server for all tests: every start compiles all schemas.
  let elsewhere: string;
  beforeAll(async () => {
    elsewhere = await serve({ snapshot: makeSnapshot(), isElsewhere: true });
    lasting.push(open.pop()!);
  });
  afterAll(async () => {
    for (const server of lasting.splice(0)) await server.close();
  });

  it.each([
    'estimates',
    'estimates?no=such',
    'popularity',
    'propensity',
    'estimates/history',
    'popularity/history',
    'propensity/history',
    'samples/history',
    'quality/history',
    'alarms',
    'items/i1',
    'users/u1',
    'why?model=m&metric=recall&k=10',
    'stream',
  ])('answers 503 at %s if another process has the numbers, and says which', async (path) => {
    const response = await fetch(`${elsewhere}/api/v1/${path}`);
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.text()).toContain(
      'this process does not compute numbers: send the request to a process with serve --role tick',
    );
  });

  it('answers 404 with a problem document before the first pane has closed', async () => {
    const response = await fetch(`${await serve()}/api/v1/estimates`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({
      status: 404,
      title: 'Not Found',
      detail: expect.stringContaining('no pane'),
    });
  });

  it('answers unknown and malformed paths with problem documents', async () => {
    const address = await serve();
    const unknown = await fetch(`${address}/nothing?secret=1`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      title: 'Not Found',
      status: 404,
      detail: 'there is no route GET /nothing',
    });
    const malformed = await fetch(`${address}/%c0%af`);
    expect(malformed.status).toBe(400);
    expect(malformed.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('answers other methods with 405 and the allowed methods', async () => {
    const address = await serve({ snapshot: makeSnapshot() });
    for (const [method, path, allowed] of [
      ['POST', '/api/v1/estimates', 'GET, HEAD'],
      ['DELETE', '/api/v1/estimates?window=1h', 'GET, HEAD'],
      ['OPTIONS', '/metrics', 'GET, HEAD'],
      ['PUT', '/api/v1/items/a%2Fb', 'GET, HEAD'],
      ['PROPFIND', '/healthz', 'GET, HEAD'],
      ['QUERY', '/api/v1/alarms', 'GET, HEAD'],
      ['PATCH', '/docs/static/index.css', 'GET, HEAD'],
    ]) {
      const response = await fetch(address + path, { method });
      expect(response.status, `${method} ${path}`).toBe(405);
      expect(response.headers.get('allow')).toBe(allowed);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
    for (const path of ['/nothing', '/api/v1/items', '/api/v1/items/a/b', '/metricsx']) {
      expect((await fetch(address + path, { method: 'POST' })).status, path).toBe(404);
    }
  });

  it('answers HEAD on the stream without keeping it open', async () => {
    const address = await serve({ snapshot: makeSnapshot() });
    const head = await fetch(`${address}/api/v1/stream`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/);
  });

  it('writes internal errors to the log, not to the answer', async () => {
    const logged: string[] = [];
    const response = await fetch(
      `${await serve({ fail: new Error('inner matter'), logged })}/api/v1/estimates`,
    );
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('inner matter');
    expect(logged.join()).toContain('inner matter');
  });
});

describe('the health routes', () => {
  it('name the check that fails, with 503', async () => {
    const readiness = [
      { name: 'assigned', ok: true },
      { name: 'caught_up', ok: false, detail: '1,200 records behind' },
    ];
    const address = await serve({ readiness });
    const ready = await fetch(`${address}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ok: false, checks: readiness, states: [STALE] });
    const alive = await fetch(`${address}/healthz`);
    expect(alive.status).toBe(200);
    expect(await alive.json()).toEqual({ ok: true, checks: [{ name: 'consumer', ok: true }] });
  });

  it('answer with their fields in the order of the description', async () => {
    const readiness = [{ name: 'caught_up', ok: false, detail: 'behind "é"' }];
    const ready = await fetch(`${await serve({ readiness })}/readyz`);
    expect(ready.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await ready.text()).toBe(
      '{"ok":false,"checks":[{"name":"caught_up","ok":false,"detail":"behind \\"é\\""}],' +
        '"states":[{"code":"stale","severity":"problem","since":1700000000000}]}',
    );
  });
});

it('serves metrics in the format of Prometheus', async () => {
  const response = await fetch(`${await serve({ snapshot: makeSnapshot() })}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  expect(text).toContain('unskew_build_info{version="1.2.3"');
  expect(text).toContain('unskew_estimate{model="good"');
});

it('sends security headers with every answer', async () => {
  const address = await serve();
  for (const path of [
    '/',
    '/page.js',
    '/page.css',
    '/icon.svg',
    '/metrics',
    '/nothing',
    '/healthz',
  ]) {
    const { headers } = await fetch(address + path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
  }
});

it('reports a taken port in one line', async () => {
  const port = Number(new URL(await serve()).port);
  const error = await serve({ port }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnskewError);
  expect((error as UnskewError).code).toBe('LISTEN');
  expect((error as UnskewError).message).toBe(
    `cannot listen on 127.0.0.1:${port}: the port is in use`,
  );
});

it('closes although a client is in the middle of a request', async () => {
  const { port } = new URL(await serve());
  const socket = createConnection(Number(port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('GET /healthz HTTP/1.1\r\nHos');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await open.pop()!.close();
  await ended;
});
