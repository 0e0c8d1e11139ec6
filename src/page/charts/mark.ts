import { gammaSourceOf } from '../../outputs/history/tick-values.js';
import type { Mark as Happening } from '../../outputs/http/schema/mark.js';
import { GAMMA_SOURCE_WORDS } from '../../rows/words.js';
import type { SeriesTable } from './series-table.js';

/** A moment on the time axis. */
export interface Mark {
  /** ms. */
  readonly at: number;
  readonly kind: 'alarm' | 'source' | Happening['kind'];
  /** What it is, as the readout says it. */
  readonly text: string;
  readonly isSuppressed: boolean;
}

/** Whether somebody, or a setting, said so; all else the numbers say. */
export function isHappening({ kind }: Pick<Mark, 'kind'>): boolean {
  return kind !== 'alarm' && kind !== 'source';
}

/** A mark wherever γ begins to come from elsewhere, from the history of γ. */
export function sourceMarks(propensity: Pick<SeriesTable, 'times' | 'column'>): Mark[] {
  const sources = propensity.column(
    {
      model: '*',
      fit: 'used',
    },
    'source',
  );
  let before: string | undefined;
  return propensity.times.flatMap((at, t): Mark[] => {
    const source = gammaSourceOf(sources[t]);
    if (source === undefined) return [];
    const isOther = before !== undefined && before !== source;
    before = source;
    if (!isOther) return [];
    return [
      {
        at,
        kind: 'source',
        text: `γ: ${GAMMA_SOURCE_WORDS[source]}`,
        isSuppressed: false,
      },
    ];
  });
}
