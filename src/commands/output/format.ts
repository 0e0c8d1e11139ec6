/** Numbers and names as people read them in a terminal. */

export function decimal(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

export function percent(ratio: number): string {
  return Number.isFinite(ratio) ? `${(100 * ratio).toFixed(1)} %` : '–';
}

export function whole(count: number): string {
  return count.toLocaleString('en');
}

export function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** What a terminal is taken to be wide, in columns. */
export const LINE_WIDTH = 100;

/** A line as several where it is too long, the others set in by four more. */
export function wrapped(line: string): string[] {
  const indent = line.length - line.trimStart().length;
  const lines: string[] = [];
  let current = ' '.repeat(indent);
  let isFresh = true;
  for (const word of line.trim().split(' ')) {
    if (!isFresh && current.length + 1 + word.length > LINE_WIDTH) {
      lines.push(current);
      current = ' '.repeat(indent + 4);
      isFresh = true;
    }
    current += isFresh ? word : ` ${word}`;
    isFresh = false;
  }
  return [...lines, current];
}

/** Text in the middle of a column. */
export function centred(text: string, width: number): string {
  return text.padStart(Math.floor((width + text.length) / 2)).padEnd(width);
}

/** Names come from events: control characters could steer a terminal, and a long one fills it. */
export function printable(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const points = [...clean];
  return points.length > 40 ? `${points.slice(0, 39).join('')}…` : clean;
}
