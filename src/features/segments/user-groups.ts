/** Groups of users by their taste for popular items, in this order everywhere. */
export const USER_GROUPS = ['niche', 'diverse', 'blockbuster', 'unknown'] as const;

/** A user’s positives before the window. */
export interface Profiles {
  /** Head positives of each user. */
  readonly head: ArrayLike<number>;
  /** All positives of each user; 0 is an empty profile. */
  readonly rows: ArrayLike<number>;
}

export type UserGroupsRefusal = 'no_profiles' | 'no_spread';

/** Share of the users that niche and blockbuster have at least. */
const OUTER = 0.2;

/**
 * Users by the share h = head positives / positives of their profiles: niche up to the 20 %
 * quantile, blockbuster from the 80 % quantile on, diverse between, unknown without a profile.
 *
 * With the h of all U profiles in order: q20 = h[⌈.2U⌉ − 1], q80 = h[U − ⌈.2U⌉], from 0. Equal shares
 * stay together; they are compared as whole numbers, a·d against c·b.
 * Source: Abdollahpouri et al. 2019, section 3 (20 / 60 / 20 % of the users); ties: own.
 *
 * @returns places in `USER_GROUPS`, or `no_spread` if q20 ≥ q80. O(U log U).
 * @example
 * userGroups({ head: [0, 1, 2, 3, 4], rows: [4, 4, 4, 4, 4] }); // [0, 1, 1, 1, 2]
 */
export function userGroups({ head, rows }: Profiles): Uint8Array | UserGroupsRefusal {
  const known: number[] = [];
  for (let u = 0; u < rows.length; u++) if (rows[u] > 0) known.push(u);
  if (known.length === 0) return 'no_profiles';
  const compare = (a: number, b: number) => head[a] * rows[b] - head[b] * rows[a];
  known.sort(compare);
  const outer = Math.ceil(OUTER * known.length);
  const low = known[outer - 1];
  const high = known[known.length - outer];
  if (compare(low, high) >= 0) return 'no_spread';
  const groups = new Uint8Array(rows.length).fill(USER_GROUPS.indexOf('unknown'));
  for (const u of known) {
    if (compare(u, low) <= 0) groups[u] = 0;
    else groups[u] = compare(u, high) >= 0 ? 2 : 1;
  }
  return groups;
}
