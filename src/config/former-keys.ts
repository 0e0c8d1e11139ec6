/** Keys of earlier versions: what has become of each, and what is given in its place. */

/** A key that goes on working under another name until 1.0. */
export interface Renamed {
  readonly to: string;
  /** The value under the new name; undefined if the old one said what is so without it. */
  readonly converted?: (written: unknown) => unknown;
  /** What the new key was given beside the old one, and which says nothing without it. */
  readonly beside?: unknown;
  /** The flag of the old name, which is taken too. */
  readonly flag?: `--${string}`;
}

export const RENAMED: Readonly<Record<string, Renamed>> = {
  'estimates.reference': { to: 'comparisons.control', flag: '--reference' },
};

/** Keys, and whole sections, that are refused with what to do instead. */
export const REMOVED: Readonly<Record<string, string>> = {};

/** What to do instead of a key or a section that was removed; undefined of any other. */
export function removedAdvice(path: string): string | undefined {
  const name = Object.keys(REMOVED).find((old) => path === old || path.startsWith(`${old}.`));
  return name === undefined ? undefined : REMOVED[name];
}
