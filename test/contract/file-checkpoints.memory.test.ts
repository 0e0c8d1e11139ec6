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

/** Under one epoch the numbers say which is the newest. */
async function newest(folder: string, partition: number): Promise<string> {
  const own = (await readdir(folder)).filter(
    (name) => name.startsWith(`${partition}.`) && name.endsWith('.checkpoint'),
  );
  return own.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)!;
}

checkpointStoreContract('A folder', async () => {
  const { folder, close } = await aFolder();
  const made = join(folder, 'made', 'when', 'needed');
  return {
    open: () => new FileCheckpointStore(made),
    damageNewest: async (partition) => truncate(join(made, await newest(made, partition)), 3),
    close,
  };
});

it('a folder where the writer died between two names has the checkpoint before', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  const epoch = await store.takeEpoch(0);
  await store.save(0, epoch, [Buffer.from('whole')]);
  await writeFile(join(folder, `0.${epoch}.1.partial`), 'half of one that was');
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
    `0.${epoch}.1.checkpoint`,
    `0.${epoch}.2.checkpoint`,
    `0.${epoch}.epoch`,
  ]);
  await writeFile(join(folder, `0.${epoch}.3.partial`), 'half of one that was');
  await store.takeEpoch(0);
  expect((await readdir(folder)).filter((name) => !name.endsWith('.checkpoint'))).toHaveLength(1);
  await close();
});

it('a writer that is replaced while it writes is refused, and what it wrote is not the newest', async () => {
  const { folder, close } = await aFolder();
  const [old, owner] = [new FileCheckpointStore(folder), new FileCheckpointStore(folder)];
  const stale = await old.takeEpoch(0);
  await old.save(0, stale, [Buffer.from('before')]);
  const slow = old.save(0, stale, [Buffer.alloc(30_000_000), Buffer.from('stale')]);
  const epoch = await owner.takeEpoch(0);
  await owner.save(0, epoch, [Buffer.from('of the owner')]);
  expect(await slow).toBe('fenced');
  const found: string[] = [];
  for await (const bytes of owner.load(0)) found.push(Buffer.from(bytes).toString());
  expect(found).toEqual(['of the owner', 'before']);
  await close();
});

it('a folder that cannot be made is reported in one line', async () => {
  const nowhere = new FileCheckpointStore('/dev/null/checkpoints');
  await expect(nowhere.takeEpoch(0)).rejects.toMatchObject({ code: 'STATE' });
});
