/** Names in the table of docs/metrics.md, as often as they stand there: each is written out in full. */
export function documentedMetrics(text: string): string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `unskew_'));
  return rows.flatMap((row) =>
    [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
}
