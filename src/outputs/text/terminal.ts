/** This file formats lines and names for a terminal. */

/** Width that output is formatted for, columns. */
export const LINE_WIDTH = 100;

/** Wrap a long line; its continuation lines are indented by four more columns. */
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

/** Replace control characters, which could manipulate a terminal. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Format a name from events for a terminal: without control characters, and shortened. */
export function printable(name: string): string {
  const points = [...harmless(name)];
  return points.length > 40 ? `${points.slice(0, 39).join('')}…` : points.join('');
}

/**
 * Replace non-breaking spaces by spaces, since people search and copy the output. To be called
 * after wrapping.
 */
export function plainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}
