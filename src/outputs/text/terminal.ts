/** Lines and names for a terminal. */

/** Assumed width of a terminal, in columns. */
export const LINE_WIDTH = 100;

/** Wrap a long line; continuation lines are indented by four more columns. */
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

/** Remove control characters, which could steer a terminal. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Make a name from events safe for a terminal: without control characters, and not too long. */
export function printable(name: string): string {
  const points = [...harmless(name)];
  return points.length > 40 ? `${points.slice(0, 39).join('')}…` : points.join('');
}

/** Replace non-breaking spaces after wrapping, since people search and copy the output. */
export function plainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}
