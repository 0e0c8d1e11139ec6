import { type Sentence, say } from '../../rows/findings/sentence.js';
import { names, numbers, type Table } from '../../rows/table.js';
import { toldApart } from '../../rows/words.js';
import { closingWords, MOST_CAUTIONS, type Opening, shownRows } from '../opening/opening.js';
import type { Paint, Style } from './paint.js';
import { sentenceText, tableLines } from './section-lines.js';
import { LINE_WIDTH, plainSpaces } from './terminal.js';

/** Maximum number of lines of an opening. */
const MOST_LINES = 12;

const TONES: Readonly<Record<Opening['tone'], Style>> = {
  good: 'good',
  care: 'caution',
  unknown: 'heading',
};

/**
 * Format the opening as lines of text: verdict, evidence, one table, cautions, and where to find
 * the rest. A sentence is one line, however long. Empty lines are inserted if there is room.
 */
export function openingLines(opening: Opening, paint: Paint): string[] {
  const { headline, earlier, grounds, rows, cautions, tone } = opening;
  const head = [
    paint(TONES[tone], text(headline)),
    ...(earlier === null ? [] : [`Before: ${text(earlier)}`]),
    text(grounds),
  ];
  const shown = shownRows(rows);
  const rest = rows.length - shown.length;
  const table = [
    ...openingTable(opening, shown),
    ...(rest > 0 ? [`  ${rest} more ${rest === 1 ? 'model' : 'models'}: --all`] : []),
  ];
  const room = MOST_LINES - head.length - table.length - 1;
  const said = cautions
    .slice(0, Math.max(0, Math.min(MOST_CAUTIONS, room)))
    .map(({ code, words }) => `${text(words)} (unskew explain ${code})`);
  const last = text(closing(opening, said.length));
  const gaps = Math.min(2, room - said.length);
  return [
    ...head,
    ...(gaps > 0 && table.length > 0 ? [''] : []),
    ...table,
    ...(gaps > 1 && table.length > 0 ? [''] : []),
    ...said,
    last,
  ];
}

function closing(opening: Opening, shown: number): Sentence {
  const { splitFlag, split } = opening;
  const test = splitFlag === null ? '' : ` (test it with ${splitFlag})`;
  return say`${closingWords(opening, shown)}${test}${split === null ? '' : '.'} Details: --all`;
}

/**
 * Format the table of models, with as many columns as fit side by side. A long name is shortened to
 * the part in which it differs from the others.
 */
function openingTable({ columns, rows: all }: Opening, rows: Opening['rows']): string[] {
  if (rows.length === 0) return [];
  const models = all.map(({ model }) => model);
  const linesOf = (most: number, width: number): string[] => {
    const table: Table = {
      name: 'opening',
      title: '',
      columns: [...names('model'), ...numbers(...columns.slice(0, width))],
      lines: rows.map(({ model, cells }) => [
        { name: toldApart(model, models, most) },
        ...cells.slice(0, width),
      ]),
    };
    return tableLines(table).map(plainSpaces);
  };
  const fits = (lines: readonly string[]) =>
    lines.length === rows.length + 1 && lines.every(({ length }) => length <= LINE_WIDTH);
  for (let width = columns.length; width > 1; width--) {
    const found = [30, 20, 14].map((most) => linesOf(most, width)).find(fits);
    if (found !== undefined) return found;
  }
  return linesOf(14, 1);
}

function text(words: Sentence): string {
  return plainSpaces(sentenceText(words));
}
