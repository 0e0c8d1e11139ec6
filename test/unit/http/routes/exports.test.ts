import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetFolder } from '../../../../src/adapters/files/set-folder.js';
import { UnskewError } from '../../../../src/errors.js';
import type { NightOrder } from '../../../../src/export/night-ports.js';
import { exportRoutes, FILE_OF } from '../../../../src/outputs/http/routes/exports.js';

let folder: string;
let storage: SetFolder;
let app: FastifyInstance;
let orders: NightOrder[];
let isBusy: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-http-'));
  storage = new SetFolder(join(folder, 'sets'));
  orders = [];
  isBusy = false;
  app = fastify();
  const status = { running: null, next: 5, overdue: null, lastMade: 4, lastError: null };
  app.register(
    exportRoutes({
      storage,
      status: () => status,
      startNow: async (order) => {
        if (isBusy) throw new UnskewError('SET', 'a test set is already being made');
        orders.push(order);
      },
      orderOf: ({ name = 'by-hand', from = 10, to = 20 }) => ({ name, from, to }),
    }),
  );
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

async function keep(name: string, files: Record<string, string>): Promise<void> {
  const draft = await storage.create(name);
  for (const [file, text] of Object.entries(files)) {
    const open = await draft.file(file);
    await open.write(Buffer.from(text));
    await open.close();
  }
  await draft.commit('{"schema":"unskew/set@1"}');
}

const start = (payload: object) => app.inject({ method: 'POST', url: '/api/v1/exports', payload });

describe('/api/v1/exports', () => {
  it('lists the complete sets, newest first, with the status of exports', async () => {
    await keep('2026-01-01', { 'test.csv': 'x' });
    await keep('2026-01-02', { 'test.csv': 'x' });
    await storage.create('2026-01-03');
    const { statusCode, body } = await app.inject('/api/v1/exports');
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      sets: ['2026-01-02', '2026-01-01'],
      running: null,
      next: 5,
      lastMade: 4,
    });
  });

  it('starts an export, of a given range or of the default', async () => {
    const { statusCode, headers } = await start({ name: 'mine', from: 1, to: 2 });
    expect(statusCode).toBe(202);
    expect(headers['location']).toBe('/api/v1/exports/mine');
    await start({});
    expect(orders).toEqual([
      { name: 'mine', from: 1, to: 2 },
      { name: 'by-hand', from: 10, to: 20 },
    ]);
  });

  it('starts no export while one is running', async () => {
    isBusy = true;
    const { statusCode, body } = await start({});
    expect(statusCode).toBe(409);
    expect(JSON.parse(body)).toMatchObject({ detail: 'a test set is already being made' });
  });

  it.each([
    [{ from: 2, to: 2 }],
    [{ name: '../up' }],
    [{ name: '.partial-x' }],
    [{ from: 'yesterday' }],
    [{ other: 1 }],
  ])('starts no export for %j', async (payload) => {
    expect((await start(payload)).statusCode).toBe(400);
    expect(orders).toEqual([]);
  });

  it('starts no export for a form, which any page could send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const request = { method: 'POST' as const, url: '/api/v1/exports', headers };
      const { statusCode } = await app.inject(type ? { ...request, payload: '{}' } : request);
      expect(statusCode).toBeGreaterThanOrEqual(400);
    }
    expect(orders).toEqual([]);
  });

  it('gives the manifest and the files of a set', async () => {
    const files = { 'test.csv': 'a,b\n', 'report.html': '<p>x</p>', 'test.parquet': 'PAR1' };
    await keep('one', files);
    const manifest = await app.inject('/api/v1/exports/one');
    expect(manifest.json()).toEqual({ schema: 'unskew/set@1' });
    for (const [file, text] of Object.entries(files)) {
      const { statusCode, body } = await app.inject(`/api/v1/exports/one/${file}`);
      expect({ statusCode, body }).toEqual({ statusCode: 200, body: text });
    }
    const { headers } = await app.inject('/api/v1/exports/one/test.csv');
    expect(headers['content-disposition']).toBe('attachment; filename="test.csv"');
    const report = await app.inject('/api/v1/exports/one/report.html');
    expect(report.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each([
    '/api/v1/exports/none',
    '/api/v1/exports/one/other.csv',
    '/api/v1/exports/unfinished/test.csv',
  ])('answers 404 at %s', async (url) => {
    await keep('one', { 'test.csv': 'x' });
    const draft = await storage.create('unfinished');
    await (await draft.file('test.csv')).close();
    expect((await app.inject(url)).statusCode).toBe(404);
  });

  it.each([
    '/api/v1/exports/..%2F..%2Fetc/passwd',
    '/api/v1/exports/one/..%2F..%2Fsecret',
    '/api/v1/exports/one/.hidden',
  ])('rejects a path outside of the set: %s', async (url) => {
    await keep('one', { 'test.csv': 'x' });
    expect((await app.inject(url)).statusCode).toBe(400);
  });

  it('serves each file with the described content type', async () => {
    await keep('one', {
      'test.csv': 'a,b\n',
      'train.ndjson': '{}\n{}\n',
      'report.html': '<p>',
      x: '',
    });
    const { content } = FILE_OF.response[200] as {
      content: Readonly<Record<string, { schema: TSchema }>>;
    };
    for (const file of ['manifest.json', 'test.csv', 'train.ndjson', 'report.html', 'x']) {
      const { headers, body } = await app.inject(`/api/v1/exports/one/${file}`);
      const [type] = `${headers['content-type']}`.split(';', 1);
      const value: unknown = type === 'application/json' ? JSON.parse(body) : body;
      expect(Value.Check(content[type!]!.schema, value), file).toBe(true);
    }
  });
});
