import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileError } from '../../../src/adapters/files/file-error.js';
import { SetFolder } from '../../../src/adapters/files/set-folder.js';
import type { SetReader } from '../../../src/commands/export/file-reader.js';
import { makeSet, type SetRequest } from '../../../src/commands/export/make-set.js';
import { UnskewError } from '../../../src/errors.js';
import type { SetDraft, SetStorage } from '../../../src/export/ports.js';
import { quietIo as io } from '../../support/quiet-io.js';
import { decodedRows, PLAN } from '../../support/sets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-make-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reader: SetReader = {
  read: async (intake, ids) => {
    const events = Array.from({ length: 500 }, (_, n) => ({
      type: 'interaction' as const,
      id: `e${n}`,
      ts: n,
      user: `u${n % 17}`,
      item: `i${n % 41}`,
    }));
    await intake.take(decodedRows(events, ids), false);
    return { sources: [], counts: { events: 500, exposures: 0, ignored: 0, faults: {} } };
  },
};

const request = (more: Partial<SetRequest>): SetRequest => ({
  plan: PLAN,
  events: { maxBytes: 1000, maxFutureMs: 0 },
  reader,
  storage: new SetFolder(join(folder, 'sets')),
  name: 'one',
  memoryBytes: 1e9,
  io,
  ...more,
});

/** A folder whose disk is full when this many bytes are written. */
function fullAfter(bytes: number): SetStorage {
  const storage = new SetFolder(join(folder, 'sets'));
  let left = bytes;
  const create = async (name: string): Promise<SetDraft> => {
    const draft = await storage.create(name);
    const file: SetDraft['file'] = async (fileName) => {
      const open = await draft.file(fileName);
      const write = async (part: Uint8Array) => {
        left -= part.length;
        if (left < 0) throw fileError('write', fileName, { code: 'ENOSPC' });
        await open.write(part);
      };
      return { write, close: () => open.close() };
    };
    return { file, commit: (text) => draft.commit(text), abort: () => draft.abort() };
  };
  return {
    place: storage.place,
    create,
    list: () => storage.list(),
    read: (name, file) => storage.read(name, file),
    remove: (name) => storage.remove(name),
  };
}

describe('making a set', () => {
  it.each([10, 5000])('leaves nothing behind if the disk is full after %i bytes', async (bytes) => {
    const earlier = request({ name: 'earlier' });
    await makeSet(earlier);
    const failing = makeSet(request({ storage: fullAfter(bytes) }));
    await expect(failing).rejects.toThrow('no space left on the device');
    expect(readdirSync(join(folder, 'sets'))).toEqual(['earlier']);
    expect(readdirSync(join(folder, 'sets/earlier')).sort()).toEqual([
      'manifest.json',
      'report.html',
      'test.ndjson',
    ]);
  });

  it('leaves nothing behind if the commit is refused', async () => {
    const refused = makeSet(
      request({
        mayCommit: async () => {
          throw new UnskewError('SET', 'another worker took over');
        },
      }),
    );
    await expect(refused).rejects.toThrow('another worker took over');
    expect(readdirSync(join(folder, 'sets'))).toEqual([]);
  });

  it('reports the original error even if cleaning up fails', async () => {
    const storage = fullAfter(10);
    const stuck: SetStorage = {
      ...storage,
      create: async (name) => {
        const draft = await storage.create(name);
        const abort = async () => {
          throw new Error('cannot remove');
        };
        return { file: (fileName) => draft.file(fileName), commit: draft.commit, abort };
      },
    };
    await expect(makeSet(request({ storage: stuck }))).rejects.toThrow('no space left');
  });

  it('reports its steps in order', async () => {
    const steps: string[] = [];
    await makeSet(
      request({
        onStep: (step) => {
          if (steps.at(-1) !== step) steps.push(step);
        },
      }),
    );
    expect(steps).toEqual(['counting', 'weighing', 'drawing', 'writing']);
  });
});
