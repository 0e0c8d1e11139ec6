import { stat } from 'node:fs/promises';

/**
 * Size of files as they lie on the disk. One that cannot be seen has none here; reading it says what
 * is wrong with it.
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
