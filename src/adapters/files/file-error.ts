import { UnskewError } from '../../errors.js';

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ELOOP: 'it is a symbolic link',
  EISDIR: 'it is a folder',
  EEXIST: 'a file with that name exists',
  ENOTDIR: 'a part of the path is not a folder',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  Z_BUF_ERROR: 'the gzip data ends too early',
  Z_DATA_ERROR: 'the gzip data is damaged',
};

/** Build the one-line error for a file that cannot be read or written. */
export function fileError(action: 'read' | 'write', path: string, cause: unknown): UnskewError {
  if (cause instanceof UnskewError) return cause;
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? '';
  const meaning = MEANINGS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new UnskewError('FILE', `cannot ${action} ${path}: ${meaning}`, { cause });
}

/**
 * Build the error for a state store that cannot be read or written. The failure may be temporary.
 */
export function stateError(action: 'read' | 'write', path: string, cause: unknown): UnskewError {
  if (cause instanceof UnskewError && cause.code === 'STATE') return cause;
  return new UnskewError('STATE', fileError(action, path, cause).message, { cause });
}
