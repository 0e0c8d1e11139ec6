import { UnskewError } from '../../errors.js';
import type { SetDraft, SetFile, SetStorage } from '../../export/ports.js';
import { watchedPort } from './watched-port.js';

const OPERATIONS = { list: 'list', create: 'create', read: 'read', remove: 'remove' } as const;
const OF_DRAFT = { file: 'write', commit: 'commit', abort: 'abort' } as const;
const OF_FILE = { write: 'write', close: 'write' } as const;

/** Everything that may fail. */
export const STORAGE_OPERATIONS: readonly string[] = [
  ...new Set([OPERATIONS, OF_DRAFT, OF_FILE].flatMap((names) => Object.values(names))),
];

/** A place for sets whose failures are reported. */
export function watchedStorage(
  storage: SetStorage,
  onFailure: (operation: string) => void,
): SetStorage {
  const failed = (operation: string, error: unknown) => {
    if (!isAnswer(error)) onFailure(operation);
  };
  const watched = watchedPort(storage, OPERATIONS, failed);
  return {
    place: storage.place,
    list: () => watched.list(),
    read: (name, file) => watched.read(name, file),
    remove: (name) => watched.remove(name),
    create: async (name) => watchedDraft(await watched.create(name), failed),
  };
}

function watchedDraft(
  draft: SetDraft,
  failed: (operation: string, error: unknown) => void,
): SetDraft {
  const watched = watchedPort(draft, OF_DRAFT, failed);
  return {
    file: async (name): Promise<SetFile> => watchedPort(await watched.file(name), OF_FILE, failed),
    commit: (manifest) => watched.commit(manifest),
    abort: () => watched.abort(),
  };
}

/** A set that is there already, or a file that is not: the storage did what it was asked. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof UnskewError)) return false;
  return error.code === 'SET' || (error.code === 'FILE' && error.cause === undefined);
}
