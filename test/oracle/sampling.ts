import { XxHash32 } from '../../src/state/binary/xxhash32.js';

/** In how many halvings a user stays, by counting the zeros one by one. */
export function slowDepth(user: string): number {
  const hash = new XxHash32(0x756e736b).update(new TextEncoder().encode(user)).digest();
  const bits = hash.toString(2).padStart(32, '0');
  return bits.includes('1') ? bits.indexOf('1') : 32;
}

export interface Weighed {
  readonly user: string;
  /** 1 for an interaction, its length for a list. */
  readonly size: number;
}

/** The least level at which the sizes of the users who are left are within the limit, tried one by one. */
export function slowLevel(all: readonly Weighed[], limit: number): number {
  for (let level = 0; ; level++) {
    const left = all.filter(({ user }) => slowDepth(user) >= level);
    if (left.reduce((sum, { size }) => sum + size, 0) <= limit) return level;
  }
}

/** Users by depth: how many of depth 0, of depth 1, … */
export function usersOfDepths(counts: readonly number[]): string[] {
  return counts.flatMap((count, depth) => {
    const found: string[] = [];
    for (let n = 0; found.length < count; n++) {
      if (slowDepth(`u${n}`) === depth) found.push(`u${n}`);
    }
    return found;
  });
}
