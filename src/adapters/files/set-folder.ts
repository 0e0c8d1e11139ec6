import { createHash, randomUUID } from 'node:crypto';
import {
  access,
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import {
  MANIFEST,
  type SetDraft,
  type SetFile,
  type SetStorage,
  type WrittenFile,
} from '../../export/ports.js';
import { flushFolder } from './durable.js';
import { fileError } from './file-error.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Open a regular file below a folder. Rejects symbolic links below the folder, because anyone who
 * can write there could link to any file of the machine. The folder itself may be a link, as
 * mounted ones often are.
 */
async function openInside(folder: string, ...names: string[]): Promise<FileHandle> {
  const path = join(folder, ...names);
  // Opening a pipe would block.
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const lies = join(await realpath(folder), ...names);
    if ((await realpath(path)) !== lies) {
      throw refusal(path, 'a part of the path is a symbolic link');
    }
    if (!(await handle.stat()).isFile()) throw refusal(path, 'it is not a regular file');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refusal(path: string, why: string): UnskewError {
  return new UnskewError('FILE', `cannot read ${path}: ${why}`);
}

const PARTIAL = '.partial-';
/** Age from which an unfinished set counts as abandoned, ms. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Stores test sets as subfolders of one folder. The files of a set are written and flushed in a
 * temporary folder inside the set's folder. Then they are renamed, the manifest last. No file moves
 * to another file system, so a set's folder may be a mount point.
 */
export class SetFolder implements SetStorage {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.place, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw fileError('read', this.place, error);
    });
    const names: string[] = [];
    for (const entry of entries) {
      const isSet = entry.isDirectory() && (await exists(join(this.place, entry.name, MANIFEST)));
      if (isSet) {
        names.push(entry.name);
      }
    }
    return names.sort();
  }

  async create(name: string): Promise<SetDraft> {
    const folder = join(this.place, name);
    if (await exists(join(folder, MANIFEST))) {
      throw new UnskewError(
        'SET',
        `${folder} already contains a test set, and test sets are never overwritten`,
      );
    }
    try {
      await mkdir(folder, { recursive: true });
      await removePartial(folder, ABANDONED_MS);
      const partial = join(folder, `${PARTIAL}${randomUUID()}`);
      await mkdir(partial);
      return new FolderDraft(folder, partial);
    } catch (error) {
      throw fileError('write', folder, error);
    }
  }

  async *read(name: string, file: string): AsyncIterable<Uint8Array> {
    const path = join(this.place, name, file);
    try {
      await (await openInside(this.place, name, MANIFEST)).close();
      const handle = await openInside(this.place, name, file);
      yield* handle.createReadStream({ highWaterMark: 256 * 1024 });
    } catch (error) {
      throw fileError('read', path, error);
    }
  }

  /** Remove unfinished sets of any age. @returns their number */
  async discard(): Promise<number> {
    let removed = 0;
    try {
      for (const entry of await readdir(this.place, { withFileTypes: true })) {
        if (entry.isDirectory()) {
          removed += await removePartial(join(this.place, entry.name), 0);
        }
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw fileError('write', this.place, error);
      }
    }
    return removed;
  }

  async remove(name: string): Promise<void> {
    const folder = join(this.place, name);
    try {
      await rm(join(folder, MANIFEST), { force: true });
      await rm(folder, {
        recursive: true,
        force: true,
      });
    } catch (error) {
      throw fileError('write', folder, error);
    }
  }
}

class FolderDraft implements SetDraft {
  readonly #files: FolderFile[] = [];

  constructor(
    private readonly folder: string,
    private readonly partial: string,
  ) {}

  async file(name: string): Promise<SetFile> {
    const path = join(this.partial, name);
    try {
      const file = new FolderFile(name, join(this.folder, name), await open(path, 'wx'));
      this.#files.push(file);
      return file;
    } catch (error) {
      throw fileError('write', join(this.folder, name), error);
    }
  }

  async commit(manifest: string): Promise<void> {
    const last = await this.file(MANIFEST);
    await last.write(new TextEncoder().encode(manifest));
    await last.close();
    try {
      for (const { name } of this.#files) {
        await rename(join(this.partial, name), join(this.folder, name));
        // The names of all other files must be durable before that of the manifest.
        if (name !== MANIFEST) {
          await flushFolder(this.folder);
        }
      }
      await rmdir(this.partial);
      await flushFolder(this.folder);
    } catch (error) {
      throw fileError('write', this.folder, error);
    }
  }

  async abort(): Promise<void> {
    for (const file of this.#files) {
      await file.discard();
    }
    await rm(this.partial, {
      recursive: true,
      force: true,
    });
    // Removes the set's folder if it is empty.
    await rmdir(this.folder).catch(() => {});
  }
}

class FolderFile implements SetFile {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isOpen = true;

  constructor(
    readonly name: string,
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.handle.write(bytes, at)).bytesWritten;
      }
    } catch (error) {
      throw fileError('write', this.path, error);
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  async close(): Promise<WrittenFile> {
    try {
      await this.handle.sync();
      await this.discard();
    } catch (error) {
      throw fileError('write', this.path, error);
    }
    return {
      name: this.name,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
    };
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Remove the unfinished sets in a folder that are at least `leastMs` old. @returns their number */
async function removePartial(folder: string, leastMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PARTIAL)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs < leastMs) continue;
    await rm(join(folder, name), { recursive: true });
    removed++;
  }
  return removed;
}
