import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileCheckpointStore } from '../../src/adapters/files/checkpoint-store.js';
import { checkpointStoreContract } from './checkpoint-store.js';

async function aFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-checkpoints-'));
  return { folder, close: () => rm(folder, { recursive: true }) };
}

checkpointStoreContract('A folder', async () => {
  const { folder, close } = await aFolder();
  return {
    open: () => new FileCheckpointStore(join(folder, 'made', 'when', 'needed')),
    damageNewest: (partition) =>
      truncate(join(folder, 'made', 'when', 'needed', `${partition}.checkpoint`), 3),
    close,
  };
});

it('a folder where the writer died between two names has the checkpoint before', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  await store.save(0, await store.takeEpoch(0), [Buffer.from('whole')]);
  await writeFile(join(folder, '0.checkpoint.1.partial'), 'half of one that was');
  const found: string[] = [];
  for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
  expect(found).toEqual(['whole']);
  await close();
});

it('leaves no other files behind than the two checkpoints and the epoch', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  const stale = await store.takeEpoch(0);
  const epoch = await store.takeEpoch(0);
  for (let n = 0; n < 3; n++) await store.save(0, epoch, [Buffer.from(`${n}`)]);
  await store.save(0, stale, [Buffer.from('stale')]);
  expect((await readdir(folder)).sort()).toEqual([
    '0.checkpoint',
    '0.epoch',
    '0.previous.checkpoint',
  ]);
  await close();
});

it('a folder that cannot be made, and an epoch that is none, are told in one line', async () => {
  const nowhere = new FileCheckpointStore('/dev/null/checkpoints');
  await expect(nowhere.takeEpoch(0)).rejects.toMatchObject({ code: 'STATE' });
  const { folder, close } = await aFolder();
  await writeFile(join(folder, '0.epoch'), 'nonsense');
  await expect(new FileCheckpointStore(folder).takeEpoch(0)).rejects.toThrow(
    `${join(folder, '0.epoch')} does not hold an epoch: remove it`,
  );
  await close();
});
