import { UnskewError } from '../../errors.js';

/** Text that names the command which makes a mapping for events in another format. */
export function mappingAdvice(paths: readonly string[]): string {
  return `to make a mapping: unskew doctor --files ${paths.join(' ')} --out unskew.yaml`;
}

/** Build the error for a table without columns of events. It advises a mapping if there is none. */
export function unfitColumns(path: string, why: string, isMapped: boolean): UnskewError {
  const advice = isMapped ? '' : `; ${mappingAdvice([path])}`;
  return new UnskewError('FILE', `cannot read ${path}: ${why}${advice}`);
}
