import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a regular file below a folder, if neither it nor what lies between is a symbolic link: with
 * a link, anyone who may write there could have any file of the machine read. The folder itself may
 * be one, as mounted ones often are.
 */
export async function openInside(folder: string, ...names: string[]): Promise<FileHandle> {
  const path = join(folder, ...names);
  // Opening a pipe would block.
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const lies = join(await realpath(folder), ...names);
    if ((await realpath(path)) !== lies)
      throw refusal(path, 'a part of the path is a symbolic link');
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
