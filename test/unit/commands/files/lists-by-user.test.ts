import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listsByUser } from '../../../../src/commands/service/demo.js';
import { decoderOptions } from '../../../../src/commands/service/monitor-options.js';
import { readConfig } from '../../../../src/config.js';
import { quietIo } from '../../../support/quiet-io.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-lists-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const KNOWN = { userIds: ['u0', 'u1'], itemIds: ['a', 'b', 'c'] };

function list(user: string, items: string[], more: object = {}) {
  const id = JSON.stringify([user, items, more]);
  return { type: 'exposure', id, ts: 1, user, model: 'mf', items, shown: false, ...more };
}

function read(...events: object[]) {
  const path = join(folder, 'lists.ndjson');
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const { config } = readConfig({ env: {} });
  const { maxBytes } = config.events;
  return listsByUser(path, KNOWN, decoderOptions(config), maxBytes, quietIo);
}

it('listsByUser returns the newest shadow list of each known user, by model', async () => {
  const found = await read(
    list('u1', ['c', 'a']),
    list('u0', ['a', 'b'], { ts: 2 }),
    list('u0', ['c'], { ts: 1 }),
    list('u0', ['b'], { model: 'ials' }),
    list('u1', ['b', 'a'], { model: 'ials' }),
    list('u1', ['a'], { ts: 9, shown: true }),
    list('stranger', ['z']),
    { type: 'interaction', id: 'x', ts: 3, user: 'u0', item: 'z' },
  );
  expect([...found].map(([model, lists]) => [model, lists.map((each) => [...each])])).toEqual([
    [
      'mf',
      [
        [0, 1],
        [2, 0],
      ],
    ],
    ['ials', [[1], [1, 0]]],
  ]);
});

it.each([
  ['no shadow list', [{ ...list('u0', ['a']), shown: true }], /it has no shadow lists/],
  [
    'no list for one user',
    [list('u0', ['a'])],
    /mf has no list for 1 of 2 users, such as u1: train it on a log of all users/,
  ],
  ['an unknown item', [list('u0', ['a']), list('u1', ['b', 'z'])], /a list of mf has the item z/],
  ['an invalid event', [list('u0', ['a']), { type: 'exposure' }], /faulty|more than 0/],
])('listsByUser rejects a file with %s', async (_, events, line) => {
  await expect(read(...events)).rejects.toThrow(line);
});
