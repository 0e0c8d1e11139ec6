import { readFile, writeFile } from 'node:fs/promises';
import { mulberry32 } from '../bench/synthetic-log.js';

/** How far the shares of a request may lie from those of its experiment. */
const FARTHEST = 0.3;

interface RequestList {
  readonly request?: string;
  readonly share?: number;
  readonly shown?: boolean;
  readonly randomized?: boolean;
}

/**
 * Gives each request of a log shares of its own, of two arms with the same share (more than
 * `FARTHEST`) that are not drawn at random. They are drawn given which arm was served, so that arms
 * were served by them: with s = base ± d and d uniform, what was served says of d in the
 * proportion (base ± d) / base.
 *
 * @returns how many requests have other shares than before.
 */
export async function giveOwnShares(path: string, seed: number): Promise<number> {
  const random = mulberry32(seed);
  const events = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestList);
  const arms = new Map<string, RequestList[]>();
  for (const list of events) {
    if (list.request === undefined || list.share === undefined || list.randomized) continue;
    arms.set(list.request, [...(arms.get(list.request) ?? []), list]);
  }
  const shares = new Map<RequestList, number>();
  for (const pair of arms.values()) {
    if (pair.length !== 2) continue;
    const base = pair[0]!.share!;
    const served = pair.findIndex(({ shown }) => shown !== false);
    const move = moveGiven(served, base, random);
    shares.set(pair[0]!, base + move);
    shares.set(pair[1]!, base - move);
  }
  const written = events.map((event) => {
    const share = shares.get(event);
    return `${JSON.stringify(share === undefined ? event : { ...event, share })}\n`;
  });
  await writeFile(path, written.join(''));
  return shares.size / 2;
}

/** @param served 0 or 1 if one of the two was served, −1 if neither was: then it tells nothing. */
function moveGiven(served: number, base: number, random: () => number): number {
  for (;;) {
    const move = FARTHEST * (2 * random() - 1);
    if (served < 0) return move;
    const own = served === 0 ? base + move : base - move;
    if (random() < own / (base + FARTHEST)) return move;
  }
}
