import { open } from 'node:fs/promises';

/** Write a file and flush it to disk. Its name survives a crash only after `flushFolder`. */
export async function writeDurably(
  path: string,
  chunks: readonly (Uint8Array | string)[],
  mode?: number,
): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    for (const chunk of chunks) {
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flush a folder to disk, so that new and renamed files in it survive a crash. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
