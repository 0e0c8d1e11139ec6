import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../../src/adapters/files/checkpoint-store.js';
import { LATER } from '../../../../src/adapters/segments/segmented-checkpoints.js';
import { exportState } from '../../../../src/commands/state/export-state.js';
import { inspectState } from '../../../../src/commands/state/inspect.js';
import { verifyState } from '../../../../src/commands/state/verify.js';
import { stateSettings } from '../../../../src/stream/state-settings.js';
import { goldenLog, goldenOptions, readFirstPart } from '../../../fixtures/golden-log.js';
import { repetitions } from '../../../support/repetitions.js';
import { RestartedReader } from '../../../support/restarts.js';
import { run } from '../../cli/fake-io.js';

const BODIES = { exportState, inspectState, verifyState };

let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-state-'));
  dir = join(folder, 'state');
});
afterEach(() => rm(folder, { recursive: true }));

/** The settings that the checkpoints are made with, as a configuration has them. */
function settings(changed: Readonly<Record<string, string>> = {}): string[] {
  const made = stateSettings(goldenOptions);
  const ms = (name: string) => `${made[name]}ms`;
  const given: Record<string, string> = {
    'state.store': 'file',
    'state.dir': dir,
    'kafka.topics.exposures': 'e',
    'kafka.topics.interactions': 'i',
    'popularity.randomized': 'count',
    'popularity.caused': 'count',
    'popularity.userCap': '0',
    'estimates.feedback': 'ignore',
    gamma: 'fit',
    ...Object.fromEntries(
      ['time.lateness', 'dedupe.ttl', 'attribution.ttl'].map((name) => [name, ms(name)]),
    ),
    ...changed,
  };
  return Object.entries(given).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
}

async function save(partitions = [0, 1], times = 2): Promise<FileCheckpointStore> {
  const store = new FileCheckpointStore(dir);
  for (const partition of partitions) {
    const reader = new RestartedReader(goldenLog, goldenOptions, 2);
    const epoch = await store.takeEpoch(partition);
    for (let n = 0; n < times; n++) {
      // Data that two checkpoints share would be damaged in both.
      if (n === times - 1) readFirstPart(reader);
      reader.read('interactions', partition, 2);
      reader.checkpoint(partition);
      await store.save(partition, epoch, [reader.checkpoints.get(partition)!]);
    }
  }
  return store;
}

const state = (verb: string, args: string[], changed?: Readonly<Record<string, string>>) =>
  run(['state', verb, ...args, ...settings(changed)], BODIES);

/** Change one byte in the middle of the newest segment of a checkpoint. */
async function damage(partition: number, which: number): Promise<void> {
  const names = (await readdir(dir)).filter((name) => name.startsWith(`${partition}.`));
  const manifests = names.filter((each) => each.endsWith('.checkpoint')).sort();
  const manifest = (await readFile(join(dir, manifests.at(which)!))).subarray(LATER.length);
  const { segments } = JSON.parse(manifest.toString());
  const path = join(dir, `${partition}.${segments.at(-1)[0]}.segment`);
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}

describe('unskew state', () => {
  it('requires state.store to be set', async () => {
    const { code, stderr } = await run(['state', 'inspect'], BODIES);
    expect(code).toBe(2);
    expect(stderr).toBe('unskew: state.store: expected file or redis, found none\n');
  });

  it('verifies intact checkpoints and changes no file', async () => {
    await save();
    const before = await readdir(dir);
    const { code, stdout, stderr } = await state('verify', []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^partition 0: 2 intact checkpoints, [\d,]+ bytes\npartition 1: 2 intact checkpoints, [\d,]+ bytes\n$/,
    );
    expect(await readdir(dir)).toEqual(before);
  });

  it('verify names damaged checkpoints and exits with 1', async () => {
    await save();
    await damage(1, 1);
    await damage(0, 0);
    const { code, stdout, stderr } = await state('verify', []);
    expect(code).toBe(1);
    expect(stdout).toBe(
      'partition 0: the one before it: its checksum does not match\npartition 1: the newest checkpoint: its checksum does not match\n',
    );
    expect(stderr).toBe(`unskew: the folder ${dir}: 2 faults\n`);
  });

  it('reports that no state is stored, and exports nothing', async () => {
    expect(await state('verify', [])).toMatchObject({
      code: 1,
      stderr: `unskew: the folder ${dir}: no state is stored\n`,
    });
    expect(await state('export', [folder])).toMatchObject({ code: 1 });
    expect(await readdir(folder)).toEqual([]);
    expect((await state('inspect', [])).stdout).toBe(`the folder ${dir}: no state is stored\n`);
  });

  it('exports the newest intact checkpoints to a file that verifies', async () => {
    const store = await save();
    await damage(1, 1);
    const { code, stdout, stderr } = await state('export', [folder]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'partition 1: the newest checkpoint is damaged; the one before it is exported\n',
    );
    const [path] = stdout.split(': ');
    expect(stdout).toMatch(/unskew-state: 2 partitions, [\d,]+ bytes\n$/);
    expect((await state('verify', [path!])).code).toBe(0);
    const file = await readFile(path!);
    const [head] = file.toString('latin1').split('\n');
    expect(JSON.parse(head!)).toMatchObject({
      format: 'unskew/state',
      version: 1,
      group: 'unskew',
    });
    let newest: Uint8Array | undefined;
    for await (const bytes of store.load(0)) newest ??= bytes;
    expect(file.indexOf(newest!)).toBeGreaterThan(0);
    expect(await state('export', [path!])).toMatchObject({
      code: 2,
      stderr: `unskew: ${path} already exists: choose another file, or remove it\n`,
    });
    expect(await readFile(path!)).toEqual(file);
  });

  it('verify detects a changed byte anywhere in an exported file', async () => {
    await save([0], 1);
    const path = join(folder, 'copy');
    await state('export', [path]);
    const whole = await readFile(path);
    const other = join(folder, 'other');
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / repetitions(40, 200))) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 4;
      await writeFile(other, bytes);
      const { code, stderr } = await state('verify', [other]);
      expect({ at, code }).toEqual({ at, code: 1 });
      expect(stderr.startsWith(`unskew: ${other}: `)).toBe(true);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    for (const length of [0, 10, 300, whole.length - 20]) {
      await writeFile(other, whole.subarray(0, length));
      expect(await state('verify', [other])).toMatchObject({ code: 1 });
    }
  });

  it('inspect reports what is stored and the effect of changed settings', async () => {
    await save();
    const now = { 'time.lateness': '3m', 'time.tick': '2m' };
    const { code, stdout } = await state('inspect', ['--json'], now);
    expect(code).toBe(0);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({ schema: 'unskew/state@1', group: 'unskew' });
    expect(told.partitions).toHaveLength(2);
    const [first] = told.partitions;
    expect(first).toMatchObject({ partition: 0, checkpoints: 2, version: 3, faults: [] });
    expect(first.counts.models).toContain('m0');
    expect(first.changed).toContainEqual({
      name: 'time.tick',
      effect: 'refused',
      now: '2m',
      made: `${goldenOptions.tickMs}ms`,
      means: 'the stored state cannot be used with the new value',
    });
    expect(first.changed).toContainEqual(
      expect.objectContaining({ name: 'time.lateness', effect: 'kept', now: '3m' }),
    );
    const lines = (await state('inspect', [], now)).stdout;
    expect(lines).toContain('partition 1: ');
    expect(lines).toContain(
      `time.tick was ${goldenOptions.tickMs}ms and is now 2m: the stored state cannot be used with the new value`,
    );
  });

  it('inspect names a checkpoint that cannot be read', async () => {
    await save([0], 1);
    await damage(0, 0);
    expect((await state('inspect', [])).stdout).toContain('  fault: its checksum does not match\n');
  });

  it('reads an older checkpoint version, and says what to do about a newer one', async () => {
    const store = new FileCheckpointStore(dir);
    const url = new URL('../../../fixtures/checkpoint-v1.bin', import.meta.url);
    const older = Uint8Array.from(await readFile(url));
    await store.save(0, await store.takeEpoch(0), [older]);
    expect(await state('verify', [])).toMatchObject({ code: 0 });
    const now = { 'popularity.randomized': 'ignore' };
    const { stdout } = await state('inspect', [], now);
    expect(stdout).toContain('format 1, saved at an unknown time');
    expect(stdout).toContain(
      'popularity.randomized was "count" and is now "ignore": the stored state cannot be used with the new value',
    );
    const newer = older.slice();
    newer[8] = 4;
    await store.save(0, await store.takeEpoch(0), [newer]);
    expect((await state('verify', [])).stdout).toBe(
      'partition 0: the newest checkpoint: the checkpoint is of version 4; this version of unskew reads versions 1, 2 and 3: run the version that wrote it, or start from scratch with another kafka.groupId\n',
    );
  });
});
