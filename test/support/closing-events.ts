import type { Event } from './log.js';

/** A list and a click of each user after all of a log: its panes close and nobody waits for silence. */
export function closingEvents(log: readonly Event[]): Event[] {
  const ts = Number(log.at(-1)!.ts) + 30;
  return [...new Set(log.map(({ user }) => user))].flatMap((user): Event[] => [
    { type: 'exposure', id: `closing-e-${user}`, ts, user, model: 'm0', items: ['a'] },
    { type: 'interaction', id: `closing-x-${user}`, ts, user, item: 'a' },
  ]);
}

/** Remove what these events added. */
export function withoutClosing<T extends { readonly paneEnd: number }>(
  found: readonly T[],
  wanted: readonly T[],
): T[] {
  return found.filter(({ paneEnd }) => paneEnd <= wanted.at(-1)!.paneEnd);
}
