import { gammaSourceOf } from '../../outputs/history/tick-values.js';
import { GAMMA_SOURCE_WORDS } from '../../rows/words.js';
import type { Mark } from './mark.js';
import type { SeriesTable } from './series-table.js';

/** A mark wherever γ begins to come from elsewhere, from the history of γ. */
export function sourceMarks(propensity: Pick<SeriesTable, 'times' | 'column'>): Mark[] {
  const sources = propensity.column({ model: '*', fit: 'used' }, 'source');
  let before: string | undefined;
  return propensity.times.flatMap((at, t): Mark[] => {
    const source = gammaSourceOf(sources[t]);
    if (source === undefined) return [];
    const isOther = before !== undefined && before !== source;
    before = source;
    if (!isOther) return [];
    return [{ at, kind: 'source', text: `γ: ${GAMMA_SOURCE_WORDS[source]}`, isSuppressed: false }];
  });
}
