import { UnskewError } from '../../errors.js';

/** Advice for files with events in another format: the command that makes a mapping for them. */
export function mappingAdvice(paths: readonly string[]): string {
  return `to make a mapping: unskew doctor --files ${paths.join(' ')} --out unskew.yaml`;
}

/**
 * Build the error for a table that lacks columns of events. Without a mapping, the error advises to
 * make one.
 */
export function unfitColumns(path: string, why: string, isMapped: boolean): UnskewError {
  const advice = isMapped ? '' : `; ${mappingAdvice([path])}`;
  return new UnskewError('FILE', `cannot read ${path}: ${why}${advice}`);
}
