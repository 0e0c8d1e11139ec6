/** Lines and names as a terminal shows them. */

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

/** Text without control characters, which could steer a terminal. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** A name comes from events: it may hold control characters, and a long one fills a terminal. */
export function printable(name: string): string {
  const points = [...harmless(name)];
  return points.length > 40 ? `${points.slice(0, 39).join('')}…` : points.join('');
}

/** What is shown is searched and copied: spaces that hold a line together have done so. */
export function plainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}
