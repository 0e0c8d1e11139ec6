import { GAIN_SUMS } from '../../decision/running-sums.js';
import { isGiven } from '../../rows/reading.js';
import type { WindowSnapshot } from '../snapshot.js';
import type { DecisionOptions } from './decision-options.js';
import type { Measure } from './measure.js';
import { newPairs } from './new-pairs.js';
import { addRows, gammaPoints, PointWeights } from './pane-sums.js';

/** Models by the gain of what users found, corrected for popularity. */
export function gainMeasure(options: DecisionOptions): Measure {
  return {
    ...{ name: options.metric, shape: GAIN_SUMS, restsOnGamma: true },
    *add(sums, epochs, { paneEnd, propensity: { gamma } }, sources) {
      const pane = paneEnd / sources.tickMs - 1;
      const gammas = gammaPoints(gamma, sources.plausibleGamma);
      const weights = new PointWeights(sources.popularity, gammas, sources.options);
      const models = sources.models.map(({ id, name }) => {
        return { id, place: epochs.byName.get(name)!.place };
      });
      for (const { rows, userCounts, keyOf } of sources.partitions) {
        const newest = rows.find((each) => each.pane === pane);
        if (newest === undefined) continue;
        const found = yield* newPairs(rows, { pane, ...sources.pairs });
        const isLight = (row: number) => (userCounts[newest.user[row]] ?? 0) < sources.heavyFrom;
        addRows(sums, newest, found.filter(isLight), models, weights, keyOf, options);
        yield;
      }
    },
    /**
     * Rows that a list caused are not in the sums where interactions name their lists. Where they do
     * not, estimates that rest on them are withheld, and so is the verdict.
     */
    objection: (model, { windows }) =>
      windows.some((window) => window.feedback?.source !== 'named' && isWithheld(model, window)),
    isOfUncaused: (model, { windows }) =>
      windows.some((window) => window.feedback?.source === 'named' && isWithheld(model, window)),
  };
}

/** Only where it is followed what lists caused can anything be withheld for it. */
function isWithheld(model: string, { feedback, results }: WindowSnapshot): boolean {
  return feedback !== undefined && results.some((row) => row.model === model && !isGiven(row));
}
