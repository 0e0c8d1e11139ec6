import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { fileError } from './file-error.js';

/** Size and SHA-256 of a file on disk. @throws UnskewError FILE. */
export async function fileHash(path: string): Promise<{
  readonly bytes: number;
  readonly sha256: string;
}> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw fileError('read', path, error);
  }
  return {
    bytes,
    sha256: hash.digest('hex'),
  };
}
