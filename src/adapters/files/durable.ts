import { open } from 'node:fs/promises';

/** Writes a file from its beginning, and resolves when its bytes are on the disk; its name is when its folder is. */
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

/** Makes the names in a folder as safe as the files: a renaming is on the disk when the folder is. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
