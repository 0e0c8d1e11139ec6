/** `npm run test:nightly` repeats everything in full; `npm test` as seldom as can still fail. */
export const IS_LONG = process.env['UNSKEW_TESTS'] === 'long';

/** How often something random is repeated, in the short form and in the long one. */
export function repetitions(short: number, long: number): number {
  return IS_LONG ? long : short;
}

/** Number of the night, counted from 1970. */
export const NIGHT = Math.floor(Date.now() / 86_400_000);

/** The cases of one night, where all of them take several nights; each has its turn. */
export function ofTonight<T>(cases: readonly T[], nights: number): readonly T[] {
  return cases.filter((_, n) => n % nights === NIGHT % nights);
}
