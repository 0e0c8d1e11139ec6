/** Reads the text format of Prometheus, written from its description and not from the exporter. */
export interface ParsedSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parseExposition(text: string): ParsedSeries[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseLine);
}

function parseLine(line: string): ParsedSeries {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)![0];
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === '{') {
    at++;
    while (line[at] !== '}') {
      const label = /^[a-zA-Z_][a-zA-Z0-9_]*/.exec(line.slice(at))![0];
      at += label.length;
      if (line.slice(at, at + 2) !== '="') throw new Error(`no value after ${label}: ${line}`);
      at += 2;
      let value = '';
      while (line[at] !== '"') {
        if (line[at] === '\\') {
          at++;
          const escaped = { n: '\n', '"': '"', '\\': '\\' }[line[at]!];
          if (escaped === undefined) throw new Error(`unknown escape in ${line}`);
          value += escaped;
        } else value += line[at];
        at++;
      }
      at++;
      Object.defineProperty(labels, label, { value, enumerable: true });
      if (line[at] === ',') at++;
    }
    at++;
  }
  const word = line.slice(at).trim();
  const value = word === '+Inf' ? Infinity : word === '-Inf' ? -Infinity : Number(word);
  return { name, labels, value };
}
