import { type Static, Type } from 'typebox';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { type Memory, Num, type Wire } from '../../rows/row.js';

/** One line of caution. `unskew explain` has a page for its code. */
export interface Caution {
  readonly code: string;
  readonly words: Sentence;
}

/** Schema of a sentence: plain text, names, and emphasised parts. */
const Words = Type.Array(
  Type.Union([
    Type.String(),
    Type.Object({ name: Type.String() }),
    Type.Object({ strong: Type.String() }),
  ]),
);

/**
 * The opening of every output as plain data: which model is better, the evidence, one table,
 * cautions, and a closing line. Text, report and page only format it.
 */
export const Opening = Type.Object({
  tone: Type.Enum(['good', 'care', 'unknown'], { description: 'good: you can act on the verdict' }),
  headline: Words,
  earlier: Type.Union([Words, Type.Null()], {
    description: 'Earlier verdict, before a change restarted the comparison; null: there is none',
  }),
  grounds: Words,
  others: Type.Array(Words, { description: 'Verdicts on further pairs' }),
  columns: Type.Array(Words, { description: 'Titles of the columns after the model' }),
  rows: Type.Array(
    Type.Object({
      model: Type.String(),
      value: Num('Value in the first column, unless the model’s lists are random'),
      lower: Num(),
      upper: Num(),
      size: Type.Number({ description: 'Number of users, lists or events behind the value' }),
      isInVerdict: Type.Boolean(),
      cells: Type.Array(Type.String()),
    }),
    { description: 'One row per model, best first' },
  ),
  cautions: Type.Array(
    Type.Object({
      code: Type.String(),
      words: Words,
    }),
    {
      description:
        'Cautions of one line each; the one that could change the verdict most comes first',
    },
  ),
  invalid: Type.Number({ description: 'Number of invalid events' }),
  split: Type.Union([Words, Type.Null()]),
  splitFlag: Type.Union([Type.String(), Type.Null()], {
    description:
      'Flag that makes unskew test the split; null if the split is tested, or if there is no flag',
  }),
});
export type Opening = Omit<Memory<Static<typeof Opening>>, WordKeys> & {
  readonly headline: Sentence;
  readonly earlier: Sentence | null;
  readonly grounds: Sentence;
  readonly others: readonly Sentence[];
  readonly columns: readonly Sentence[];
  readonly cautions: readonly Caution[];
  readonly split: Sentence | null;
};
export type SentOpening = Omit<Wire<Static<typeof Opening>>, WordKeys> & Pick<Opening, WordKeys>;
type WordKeys = 'headline' | 'earlier' | 'grounds' | 'others' | 'columns' | 'cautions' | 'split';

/**
 * Maximum number of rows in the table of an opening. `MOST_CAUTIONS` is the maximum number of its
 * cautions. Other outputs have all rows and cautions.
 */
export const MOST_ROWS = 5;
export const MOST_CAUTIONS = 3;

/**
 * Choose the rows to show in limited space, best first. They are the rows of the models with the
 * most users, and always those of the two models that the verdict compares.
 */
export function shownRows<
  Row extends {
    readonly size: number;
    readonly isInVerdict: boolean;
  },
>(rows: readonly Row[], most = MOST_ROWS): readonly Row[] {
  const bySize = [...rows].sort(
    (a, b) => Number(b.isInVerdict) - Number(a.isInVerdict) || b.size - a.size,
  );
  const kept = new Set(bySize.slice(0, most));
  return rows.filter((row) => kept.has(row));
}

/**
 * Write the closing line: which checks passed, and how many cautions are not shown.
 *
 * @param shown number of cautions above the line
 */
export function closingWords(
  { cautions, invalid, split }: Pick<Opening, 'cautions' | 'invalid' | 'split'>,
  shown: number,
): Sentence {
  const hidden = cautions.length - shown;
  const events = `${invalid} invalid ${invalid === 1 ? 'event' : 'events'}.`;
  const begin =
    hidden > 0
      ? `${hidden} more ${hidden === 1 ? 'caution' : 'cautions'}; ${events}`
      : `Fine${shown > 0 ? ' otherwise' : ''}: ${events}`;
  return split === null ? [begin] : say`${begin} ${split}`;
}
