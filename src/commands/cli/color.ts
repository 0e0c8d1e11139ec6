/**
 * Whether a stream shows colours: a terminal does, unless `NO_COLOR` (no-color.org) or
 * `FORCE_COLOR=0` says no; elsewhere only if `FORCE_COLOR` says so. `NO_COLOR` wins over the other.
 *
 * @param env the environment; an empty value is as none
 * @param isTerminal whether people watch the stream
 * @example showsColor({ NO_COLOR: '1' }, true); // false
 */
export function showsColor(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
