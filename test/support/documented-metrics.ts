/** Names in the table of docs/metrics.md; `_suffix` stands for the first name of its row with another ending. */
export function documentedMetrics(text: string): Set<string> {
  const rows = text.split('\n').filter((line) => line.startsWith('| `unskew_'));
  return new Set(
    rows.flatMap((row) => {
      const names = [...row.split('|')[1].matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
      const cuts = [...names[0].matchAll(/_/g)].map(({ index }) => names[0].slice(0, index));
      return names.flatMap((name) =>
        name.startsWith('_') ? [names[0], ...cuts].map((start) => start + name) : [name],
      );
    }),
  );
}
