import type { Event } from '../support/log.js';

/**
 * Who is evaluated at the end of a pane, from the definition and a log in which nothing is late and
 * in which all models have a place. Panes and times as in the options.
 */
export function evaluatedAt(
  log: readonly Event[],
  paneEnd: number,
  of: { tickMs: number; longestMs: number; ttlMs: number; horizonMs: number; most: number },
): string[] {
  const pane = paneEnd / of.tickMs - 1;
  const quietAfter = Math.ceil((of.longestMs + of.ttlMs) / of.tickMs) + 1;
  const goneAfter = Math.max(quietAfter, Math.ceil(of.horizonMs / of.tickMs) + 1);
  const panes = new Map<string, number[]>();
  for (const event of log) {
    if (event.type !== 'exposure' || (event.ts as number) >= paneEnd) continue;
    const own = panes.get(event.model) ?? [];
    own.push(Math.floor((event.ts as number) / of.tickMs));
    panes.set(event.model, own);
  }
  const models = [...panes].map(([model, heard]) => ({
    model,
    first: Math.min(...heard),
    silence: pane - Math.max(...heard),
    times: new Set(heard).size,
  }));
  return models
    .filter(({ silence }) => silence <= goneAfter)
    .sort(
      (a, b) =>
        Number(a.silence > quietAfter) - Number(b.silence > quietAfter) ||
        Number(a.times === 1) - Number(b.times === 1) ||
        a.first - b.first ||
        (a.model < b.model ? -1 : 1),
    )
    .slice(0, of.most)
    .map(({ model }) => model)
    .sort();
}
