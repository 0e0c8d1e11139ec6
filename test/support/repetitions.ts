/** `npm run test:nightly` repeats everything in full; `npm test` as seldom as can still fail. */
export const IS_LONG = process.env['UNSKEW_TESTS'] === 'long';

/** How often something random is repeated, in the short form and in the long one. */
export function repetitions(short: number, long: number): number {
  return IS_LONG ? long : short;
}
