import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import {
  STORAGE_OPERATIONS,
  watchedStorage,
} from '../../../../../src/commands/service/watched-stores.js';
import { UnskewError } from '../../../../../src/errors.js';
import type { SetDraft, SetStorage } from '../../../../../src/export/ports.js';
import { StoreSeries } from '../../../../../src/outputs/prometheus/store-series.js';

const away = () =>
  Promise.reject(new UnskewError('FILE', 'cannot put', { cause: new Error('503') }));

/** A storage of which every operation fails this way. */
function failing(fail: () => Promise<never>): SetStorage {
  const draft: SetDraft = { file: fail, commit: fail, abort: fail };
  return {
    place: 'nowhere',
    list: fail,
    remove: fail,
    create: async (name) => (name === 'no' ? fail() : draft),
    async *read() {
      yield new Uint8Array(1);
      await fail();
    },
  };
}

async function tried(storage: SetStorage): Promise<void> {
  const draft = await storage.create('set');
  const read = async () => {
    for await (const _ of storage.read('set', 'file'));
  };
  const file = () => draft.file('f').then((open) => open.write(new Uint8Array(1)));
  const all = [() => storage.list(), () => storage.create('no'), read, () => storage.remove('set')];
  for (const each of [...all, file, () => draft.commit('{}'), () => draft.abort()]) {
    await expect(each()).rejects.toThrow();
  }
}

it('storage errors are counted per operation, from zero at the first scrape', async () => {
  const registry = new Registry();
  const series = new StoreSeries(registry);
  series.expect('exports', STORAGE_OPERATIONS);
  const counted = /errors_total\{store="exports",operation="(\w+)"\} (\d+)/g;
  const count = async () => {
    const found = [...(await registry.metrics()).matchAll(counted)];
    return Object.fromEntries(found.map((match) => [match[1], Number(match[2])]));
  };
  const zero = Object.fromEntries(STORAGE_OPERATIONS.map((operation) => [operation, 0]));
  expect(await count()).toEqual(zero);
  await tried(watchedStorage(failing(away), (operation) => series.failed('exports', operation)));
  expect(await count()).toEqual(
    Object.fromEntries(STORAGE_OPERATIONS.map((operation) => [operation, 1])),
  );
});

it('an existing set or a missing file is not counted as a storage error', async () => {
  for (const code of ['SET', 'FILE'] as const) {
    const failed: string[] = [];
    const answers = () => Promise.reject(new UnskewError(code, 'it is so'));
    await tried(watchedStorage(failing(answers), (operation) => failed.push(operation)));
    expect(failed).toEqual([]);
  }
});
