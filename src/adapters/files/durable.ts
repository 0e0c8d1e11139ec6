import { open } from 'node:fs/promises';

/** Write a file, and resolve when its bytes are on disk. Its name is durable after `flushFolder`. */
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

/** Flush a folder to disk, so that renamed files survive a crash. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
