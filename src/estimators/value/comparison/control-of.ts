/**
 * The model that the others are compared with in a window.
 *
 * Without a configured one: the first arm by name, or the first model if there are no arms. The arm
 * that is served most often would be another one from tick to tick where shares are even, and in the
 * middle of a ramp-up, and each time all differences would change their sign.
 *
 * @param models that have a value, and the arms among them, both by name.
 * @returns undefined if the configured one has none.
 * @example
 * controlOf(['a', 'b', 'c'], ['b', 'c'], undefined); // 'b'
 */
export function controlOf(
  models: readonly string[],
  arms: readonly string[],
  configured: string | undefined,
): string | undefined {
  const control = configured ?? arms[0] ?? models[0];
  return models.includes(control) ? control : undefined;
}
