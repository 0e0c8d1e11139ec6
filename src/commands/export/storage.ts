import { basename, dirname, resolve } from 'node:path';
import { SetFolder } from '../../adapters/files/set-folder.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { SetStorage } from '../../export/ports.js';

/** Open the storage of test sets in a folder or under `s3://bucket/prefix`. */
export async function storageAt(place: string, { s3 }: Config['export']): Promise<SetStorage> {
  if (!place.startsWith('s3://')) return new SetFolder(place);
  const { bucketAt } = await import('../../adapters/s3/set-bucket.js');
  return bucketAt(place, s3);
}

/** Split the address of a single set into its storage and its name there. */
export async function setAt(
  place: string,
  settings: Config['export'],
): Promise<{
  readonly storage: SetStorage;
  readonly name: string;
}> {
  if (!place.startsWith('s3://')) {
    const path = resolve(place);
    return {
      storage: await storageAt(dirname(path), settings),
      name: basename(path),
    };
  }
  const [, parent, name] = /^(s3:\/\/[^/]+(?:\/.+)?)\/([^/]+)\/?$/.exec(place) ?? [];
  if (parent === undefined || name === undefined) {
    throw new UnskewError('USAGE', `expected s3://bucket/name for a set, found ${place}`);
  }
  return {
    storage: await storageAt(parent, settings),
    name,
  };
}
