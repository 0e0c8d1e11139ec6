import { gammaSourceOf } from '../../outputs/history/tick-values.js';
import type { Mark as Happening } from '../../outputs/http/schema/mark.js';
import { GAMMA_SOURCE_WORDS } from '../../rows/words.js';
import type { SeriesTable } from './series-table.js';

/**
 * A marked time on the time axis. It is an alarm, a change of γ's source, or a mark that the
 * service stores.
 */
export interface Mark {
  /** Time of the mark, ms. */
  readonly at: number;
  readonly kind: 'alarm' | 'source' | Happening['kind'];
  /** Text in the readout. */
  readonly text: string;
  readonly isSuppressed: boolean;
}

/**
 * Whether the mark is a stored one (deployment, change of settings, note), not derived from the
 * numbers.
 */
export function isHappening({ kind }: Pick<Mark, 'kind'>): boolean {
  return kind !== 'alarm' && kind !== 'source';
}

/** Create a mark at each change of γ's source. */
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
