import { afterEach, describe, expect, it } from 'vitest';
import { MemoryMarkStore } from '../../../../src/adapters/memory/mark-store.js';
import { MarkBook } from '../../../../src/commands/service/mark-book.js';
import { UnskewError } from '../../../../src/errors.js';
import type { Mark, MarkStore } from '../../../../src/outputs/history/marks.js';
import { serve, type TestServer } from '../../../support/http-server.js';

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function started(options: Parameters<typeof serve>[0] = {}): Promise<string> {
  const server = await serve(options);
  open.push(server);
  return `${server.address}/api/v1/marks`;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('marks', () => {
  it('are accepted and listed by time', async () => {
    const url = await started();
    const before = Date.now();
    const made = await post(url, { kind: 'deploy', text: 'ranker 2.4' });
    expect(made.status).toBe(201);
    const mark = (await made.json()) as Mark;
    expect(mark).toMatchObject({ kind: 'deploy', text: 'ranker 2.4' });
    expect(mark.time).toBeGreaterThanOrEqual(before);
    expect(mark.time).toBeLessThanOrEqual(Date.now());
    const earlier = await post(url, { kind: 'note', text: 'sale begins', time: before - 60_000 });
    const note = (await earlier.json()) as Mark;
    expect(await (await fetch(url)).json()).toEqual({ marks: [note, mark] });
  });

  it('may name the model that they are about', async () => {
    const url = await started();
    const order = { kind: 'deploy', text: 'ranker 2.5', model: 'personal' };
    expect(await (await post(url, order)).json()).toMatchObject(order);
    expect(await (await fetch(url)).json()).toMatchObject({ marks: [order] });
    expect((await post(url, { ...order, model: '' })).status).toBe(400);
  });

  it('keep any single line unchanged', async () => {
    const url = await started();
    const text = `<script>alert("1")</script> \\' & ‮ 日本`;
    expect((await post(url, { kind: 'note', text })).status).toBe(201);
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toMatchObject({ marks: [{ text }] });
  });

  it.each([
    ['no text', { kind: 'note' }],
    ['an empty text', { kind: 'note', text: '' }],
    ['only blanks', { kind: 'note', text: '   ' }],
    ['two lines', { kind: 'note', text: 'a\nb' }],
    ['a control character', { kind: 'note', text: 'a\u001b[31m' }],
    ['only a control character', { kind: 'note', text: '\u001b' }],
    ['a text that is too long', { kind: 'note', text: 'x'.repeat(201) }],
    ['a number as text', { kind: 'note', text: 7 }],
    ['an unknown kind', { kind: 'alarm', text: 'x' }],
    ['no kind', { text: 'x' }],
    ['an unknown field', { kind: 'note', text: 'x', colour: 'red' }],
    ['a time in seconds', { kind: 'note', text: 'x', time: 1_700_000_000 }],
    ['a string as time', { kind: 'note', text: 'x', time: '2026-01-01' }],
    ['null as time', { kind: 'note', text: 'x', time: null }],
    ['a time with half a millisecond', { kind: 'note', text: 'x', time: 1_700_000_000_000.5 }],
    ['a time in the future', { kind: 'note', text: 'x', time: Date.now() + 3_600_000 }],
    ['invalid JSON', '{'],
    ['a list', []],
  ])('refuse %s', async (_, body) => {
    const url = await started();
    const { status, headers } = await post(url, body);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(await (await fetch(url)).json()).toEqual({ marks: [] });
  });

  it('refuse another content type, an overlong body and another method', async () => {
    const url = await started();
    const text = JSON.stringify({ kind: 'note', text: 'x' });
    expect((await post(url, text, { 'content-type': 'application/xml' })).status).toBe(415);
    expect((await post(url, { kind: 'note', text: 'x'.repeat(100_000) })).status).toBe(413);
    const other = await fetch(url, { method: 'DELETE' });
    expect(other.status).toBe(405);
    expect(other.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('require the token, and refuse requests from pages of other sites', async () => {
    const url = await started({ token: 'secret' });
    const order = { kind: 'note', text: 'x' };
    expect((await fetch(url)).status).toBe(401);
    expect((await post(url, order)).status).toBe(401);
    const bearer = { authorization: 'Bearer secret' };
    const foreign = { ...bearer, origin: 'https://elsewhere.example' };
    expect((await post(url, order, foreign)).status).toBe(403);
    expect((await post(url, order, bearer)).status).toBe(201);
    expect((await fetch(url, { headers: bearer })).status).toBe(200);
  });

  it('are also accepted by a worker without numbers', async () => {
    const url = await started({ isElsewhere: () => true });
    expect((await post(url, { kind: 'note', text: 'x' })).status).toBe(201);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('marks', 'alarms'))).status).toBe(503);
  });

  it('are answered with 503 while their store is unreachable, and work again afterwards', async () => {
    let isAway = true;
    const store = new MemoryMarkStore();
    const away = async () => {
      throw new UnskewError('STATE', 'Redis at redis:6379: no connection');
    };
    const flaky: Pick<MarkStore, 'all' | 'add'> = {
      all: () => (isAway ? away() : store.all()),
      add: (mark, about) => (isAway ? away() : store.add(mark, about)),
    };
    const url = await started({ marks: new MarkBook(flaky) });
    for (const answer of [await fetch(url), await post(url, { kind: 'note', text: 'x' })]) {
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        detail: 'marks are not available now: Redis at redis:6379: no connection',
      });
    }
    isAway = false;
    expect((await post(url, { kind: 'note', text: 'x' })).status).toBe(201);
    expect(await (await fetch(url)).json()).toMatchObject({ marks: [{ text: 'x' }] });
  });

  it('are refused if they are older than all 500 that are kept', async () => {
    const store = new MemoryMarkStore();
    const base = Date.now() - 1_000_000;
    for (let n = 0; n < 500; n++) {
      await store.add({ id: `${n}`, time: base + n, kind: 'note', text: 'x' });
    }
    const url = await started({ marks: new MarkBook(store) });
    const answer = await post(url, { kind: 'note', text: 'x', time: base - 1 });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      detail: 'this mark is older than all 500 stored marks, and no more can be stored',
    });
  });
});

it('the mark store is read once a second, and again after a mark is added', async () => {
  let asked = 0;
  let now = 10_000;
  const inner = new MemoryMarkStore();
  const store: Pick<MarkStore, 'all' | 'add'> = {
    all: () => {
      asked++;
      return inner.all();
    },
    add: (mark, about) => inner.add(mark, about),
  };
  const book = new MarkBook(store, () => now);
  await Promise.all([book.all(), book.all()]);
  expect(asked).toBe(1);
  await book.add({ kind: 'note', text: 'here' });
  expect(await book.all()).toHaveLength(1);
  expect(asked).toBe(2);
  await inner.add({ id: 'b', time: now, kind: 'note', text: 'by another worker' });
  expect(await book.all()).toHaveLength(1);
  now += 1000;
  expect(await book.all()).toHaveLength(2);
});
