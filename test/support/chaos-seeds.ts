/**
 * The seeds of random schedules that are played: from 1 to `count`, or those that CHAOS_SEED names,
 * one (`7`) or the first and the last (`3-9`).
 */
export function chaosSeeds(count: number): readonly number[] {
  const [first = 1, last = first] = process.env['CHAOS_SEED']?.split('-').map(Number) ?? [1, count];
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
