/**
 * The fields of one line of a comma-separated table; a field in double quotes may hold commas, and
 * two quotes for one.
 *
 * @returns undefined if a quote is not closed, or something follows it.
 */
export function csvFields(line: string): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at <= line.length; ) {
    if (line[at] !== '"') {
      const end = line.indexOf(',', at);
      fields.push(line.slice(at, end < 0 ? line.length : end).trim());
      at = end < 0 ? line.length + 1 : end + 1;
      continue;
    }
    let field = '';
    let close = line.indexOf('"', at + 1);
    for (; close >= 0 && line[close + 1] === '"'; close = line.indexOf('"', close + 2)) {
      field += line.slice(at + 1, close + 1);
      at = close + 1;
    }
    if (close < 0 || (close + 1 < line.length && line[close + 1] !== ',')) return undefined;
    fields.push(field + line.slice(at + 1, close));
    at = close + 2;
  }
  return fields;
}
