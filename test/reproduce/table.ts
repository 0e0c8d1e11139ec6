/** One number of a paper, or of what follows from it, beside ours. */
export interface Row {
  readonly what: string;
  /** As printed; '–' where the paper has none. */
  readonly paper: string;
  readonly ours: string;
  /** What ours is held to, in words; '–' where it is shown only, for lack of a number to hold it to. */
  readonly heldTo: string;
  readonly isOk: boolean;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
  /** What a reader has to know to compare the two columns. */
  readonly note?: string;
}

/** A row for a number that has to lie within a tolerance of the expected one. */
export function within(
  what: string,
  paper: string,
  ours: number,
  expected: number,
  tolerance: number,
  digits = 4,
): Row {
  return {
    what,
    paper,
    ours: ours.toFixed(digits),
    heldTo: `${expected} ± ${twoDigits(tolerance)}`,
    // The slack is rounding of binary fractions, far below any tolerance here.
    isOk: Math.abs(ours - expected) <= tolerance * (1 + 1e-9),
  };
}

/** A tolerance as short as it can be read. */
export function twoDigits(value: number): string {
  return String(Number(value.toPrecision(2)));
}

/** The table as text, columns aligned; a row that is off says so at its end. */
export function format({ title, rows, note }: Table): string {
  const lines = [['', 'paper', 'here', 'held to', '']];
  for (const { what, paper, ours, heldTo, isOk } of rows) {
    const verdict = heldTo === '–' ? '' : isOk ? 'ok' : 'OFF';
    lines.push([what, paper, ours, heldTo, verdict]);
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [title, '', ...text, ...(note === undefined ? [] : ['', note]), ''].join('\n');
}
