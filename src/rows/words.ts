/**
 * Shorten a long name in the middle, because related names differ at their ends.
 *
 * @example
 * middleCut('ranker-2026-blend-v7', 12).startsWith('ranker'); // true
 * middleCut('ranker-2026-blend-v7', 12).endsWith('nd-v7'); // true
 */
export function middleCut(text: string, most: number): string {
  const signs = [...text];
  if (signs.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${signs.slice(0, head).join('')}…${tail === 0 ? '' : signs.slice(-tail).join('')}`;
}

/**
 * Shorten a long name so that it differs from similar names: it keeps its beginning, its end, and
 * the part that distinguishes it.
 *
 * @example
 * toldApart('ranker-in-us-west-blend-v17', ['ranker-in-eu-west-blend-v17'], 16) === 'ranker-i…-us…v17'; // true
 */
export function toldApart(name: string, among: readonly string[], most: number): string {
  const short = middleCut(name, most);
  const alike = among.filter((other) => other !== name && middleCut(other, most) === short);
  if (alike.length === 0) return short;
  const all = [...name];
  const firstApart = (
    other: readonly string[],
    sign: (of: readonly string[], n: number) => unknown,
  ) => {
    const found = all.findIndex((_, n) => sign(all, n) !== sign(other, n));
    return found < 0 ? all.length - 1 : found;
  };
  const others = alike.map((other) => [...other]);
  const from = Math.min(...others.map((other) => firstApart(other, (of, n) => of[n])));
  const behind = Math.min(...others.map((other) => firstApart(other, (of, n) => of.at(-1 - n))));
  const begin = Math.max(0, from - 1);
  const end = Math.max(from + 1, all.length - behind);
  const own = middleCut(all.slice(begin, end).join(''), most - 10);
  const room = most - [...own].length - 2;
  const head = all.slice(0, Math.min(begin, Math.ceil((2 * room) / 3))).join('');
  const tail = all.slice(Math.max(end, all.length - Math.floor(room / 3))).join('');
  return `${head}${begin > 0 ? '…' : ''}${own}${end < all.length ? '…' : ''}${tail}`;
}

/** Name of a metric with its cut-off, e.g. `recall@10`. */
export function metricName({ metric, k }: { metric: string; k: number | null }): string {
  return k === null ? metric : `${metric}@${k}`;
}

/** Join items as in a sentence: `a`, `a and b`, `a, b and c`. */
export function listed<T>(items: readonly T[], and = ' and '): (T | string)[] {
  return items.flatMap((item, i) => {
    if (i === 0) return [item];
    return [i === items.length - 1 ? and : ', ', item];
  });
}

/** Words for each source of the γ in use. */
export const GAMMA_SOURCE_WORDS = {
  fixed: 'fixed',
  fit: 'fitted',
  last_good: 'last good fit',
  calibrated: 'calibrated with randomised traffic',
  assumed: 'assumed',
} as const;

/** Words for each status of a fit of γ. */
export const GAMMA_STATUS_WORDS = {
  ok: 'fit ok',
  too_few_levels: 'too few levels to fit',
  poor_fit: 'poor fit',
  stale: 'no exposures to fit',
} as const;

/** Capitalise the first letter of a sentence; other than Latin letters stay unchanged. */
export function capital(text: string): string {
  return text.replace(/^[a-z]/, (first) => first.toUpperCase());
}

/** Words for what a number is a mean over, by its form. */
export function formWords(form: string): string {
  if (form === 'user') return 'mean over users';
  return form === 'pooled' ? 'over all events' : `of a ${form}`;
}
