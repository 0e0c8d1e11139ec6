import { UnskewError } from '../../errors.js';

/** Advise the command that makes a mapping for events in a foreign format. */
export function mappingAdvice(paths: readonly string[]): string {
  return `to make a mapping: unskew doctor --files ${paths.join(' ')} --out unskew.yaml`;
}

/** The error for a table without the columns of events. */
export function unfitColumns(path: string, why: string, isMapped: boolean): UnskewError {
  const advice = isMapped ? '' : `; ${mappingAdvice([path])}`;
  return new UnskewError('FILE', `cannot read ${path}: ${why}${advice}`);
}
