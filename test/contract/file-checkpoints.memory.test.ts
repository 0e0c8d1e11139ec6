import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileCheckpointStore } from '../../src/adapters/files/checkpoint-store.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import { runAtOnce } from '../../src/stream/sliced.js';
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
  return join(folder, own.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)!);
}

async function newestSegment(folder: string, partition: number): Promise<string> {
  const text = await readFile(await newest(folder, partition), 'utf8');
  const { segments } = JSON.parse(text.slice(text.indexOf('{')));
  return join(folder, `${partition}.${segments.at(-1)[0]}.segment`);
}

async function keptIn(store: FileCheckpointStore): Promise<string[]> {
  const found: string[] = [];
  for await (const bytes of store.load(0)) found.push(Buffer.from(bytes).toString());
  return found;
}

checkpointStoreContract('A folder', async () => {
  const { folder, close } = await aFolder();
  const made = join(folder, 'made', 'when', 'needed');
  return {
    open: () => new FileCheckpointStore(made),
    damageNewest: async (partition) => truncate(await newest(made, partition), 3),
    close,
  };
});

it('a folder whose newest segment is damaged still has the previous checkpoint', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  const epoch = await store.takeEpoch(0);
  for (const text of ['first', 'second']) await store.save(0, epoch, [Buffer.from(text)]);
  await truncate(await newestSegment(folder, 0), 3);
  const [damaged, previous] = await keptIn(new FileCheckpointStore(folder));
  expect(damaged).not.toBe('second');
  expect(previous).toBe('first');
  await close();
});

it('a folder whose writer died before the rename still has the previous checkpoint', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  const epoch = await store.takeEpoch(0);
  await store.save(0, epoch, [Buffer.from('whole')]);
  await writeFile(join(folder, `0.${epoch}.1.partial`), 'half of one that was');
  expect(await keptIn(store)).toEqual(['whole']);
  await close();
});

it('a folder keeps only the files of two checkpoints and the epoch', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  const stale = await store.takeEpoch(0);
  const epoch = await store.takeEpoch(0);
  for (let n = 0; n < 3; n++) await store.save(0, epoch, [Buffer.from(`${n}`)]);
  await store.save(0, stale, [Buffer.from('stale')]);
  const others = (await readdir(folder)).filter((name) => !name.endsWith('.segment'));
  expect(others.sort()).toEqual([
    `0.${epoch}.1.checkpoint`,
    `0.${epoch}.2.checkpoint`,
    `0.${epoch}.epoch`,
  ]);
  expect(await readdir(folder)).toHaveLength(others.length + 2);
  await writeFile(join(folder, `0.${epoch}.3.partial`), 'half of one that was');
  await writeFile(join(folder, `0.${epoch}-x.segment`), 'one that nobody names');
  const next = await store.takeEpoch(0);
  await store.save(0, next, [Buffer.from('next')]);
  expect(await readdir(folder)).toHaveLength(others.length + 2);
  expect(await keptIn(store)).toEqual(['next', '2']);
  await close();
});

it('a writer that is replaced while it writes is fenced, and its checkpoint is dropped', async () => {
  const { folder, close } = await aFolder();
  const old = new FileCheckpointStore(folder);
  const owner = new FileCheckpointStore(folder);
  const stale = await old.takeEpoch(0);
  await old.save(0, stale, [Buffer.from('before')]);
  const slow = old.save(0, stale, [Buffer.alloc(30_000_000), Buffer.from('stale')]);
  const epoch = await owner.takeEpoch(0);
  await owner.save(0, epoch, [Buffer.from('of the owner')]);
  expect(await slow).toBe('fenced');
  expect(await keptIn(owner)).toEqual(['of the owner', 'before']);
  await close();
});

it('a folder in the old format, with a file per checkpoint, stays usable', async () => {
  const { folder, close } = await aFolder();
  for (const name of ['0.3.epoch', '0.3.0.checkpoint', '0.3.1.checkpoint']) {
    await writeFile(join(folder, name), name);
  }
  const store = new FileCheckpointStore(folder);
  expect(await store.partitions()).toEqual([0]);
  expect(await keptIn(store)).toEqual(['0.3.1.checkpoint', '0.3.0.checkpoint']);
  expect(Buffer.from((await store.peek(0, 5))!).toString()).toBe('0.3.1');
  const epoch = await store.takeEpoch(0);
  expect(epoch).toBe(4);
  await store.save(0, epoch, [Buffer.from('new')]);
  expect(await keptIn(store)).toEqual(['new', '0.3.1.checkpoint']);
  expect(await store.isWhole(0)).toBe(true);
  await store.save(0, epoch, [Buffer.from('newer')]);
  const left = (await readdir(folder)).filter((name) => name.endsWith('.checkpoint'));
  expect(left.filter((name) => name.startsWith('0.3.'))).toEqual([]);
  await close();
});

it('an old program that reads whole files sees an unsupported version', async () => {
  const { folder, close } = await aFolder();
  const store = new FileCheckpointStore(folder);
  await store.save(0, await store.takeEpoch(0), [Buffer.from('new')]);
  const bytes = await readFile(await newest(folder, 0));
  expect(() => runAtOnce(openCheckpoint(bytes))).toThrow(
    /of version 4; this version of unskew reads .*3:/,
  );
  await close();
});

it('a folder that cannot be created is reported as a state error', async () => {
  const nowhere = new FileCheckpointStore('/dev/null/checkpoints');
  await expect(nowhere.takeEpoch(0)).rejects.toMatchObject({ code: 'STATE' });
});
