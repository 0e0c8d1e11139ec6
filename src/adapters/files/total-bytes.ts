import { stat } from 'node:fs/promises';

/**
 * Total size of files on disk. A file that cannot be accessed counts as 0; reading it reports the
 * error later.
 */
export async function totalBytes(paths: readonly string[]): Promise<number> {
  const sizes = paths.map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
