import {
  REQUEST_CLUSTERS,
  UNUSABLE,
  type WindowRequests,
} from '../../state/requests/pane-requests.js';
import { shareOf } from '../../state/requests/request-kinds.js';
import { wholeKinds } from '../values/request-shares.js';
import { AddedRows } from './added-rows.js';
import type { Measure } from './measure.js';

/**
 * Arms by what the requests that they served earned.
 *
 *   w = 1 / s, gain = Σ c:  R_a = Σ_q 1{a served} c_q / s_qa / Σ_q 1{a served} / s_qa
 *
 * with s the share that the request states and c the rewards of its items. Each request counts by its own
 * share, so shares may change within an epoch. Models that serve nothing have no verdict by value here:
 * theirs rests on how users look at places, which is fitted for each window.
 * Source: self-normalised inverse propensity scoring (Hájek).
 */
export const VALUE_MEASURE: Measure = {
  ...{ name: { metric: 'value', k: null }, rung: 'experiment' },
  shape: { points: 1, groups: REQUEST_CLUSTERS, estimate: 0, corrected: [0] },
  restsOnGamma: false,
  *add(sums, epochs, { paneEnd }, { tickMs, models, requests, rounds }) {
    const pane = paneEnd / tickMs - 1;
    const places = models.map(({ name }) => epochs.byName.get(name)!.place);
    const added = yield* rounds.gather(new AddedRows(1), requests, function* add(own, panes) {
      for (const closed of panes.filter((each) => each.pane === pane)) {
        addRequests(own, closed, places);
        yield;
      }
    });
    added.addTo(sums);
  },
  objection: (model, reference, { windows }) => {
    const names = [model, reference];
    for (const { valueEvidence = [] } of windows) {
      const own = valueEvidence.find(
        (each) => names.includes(each.model) && names.includes(each.reference),
      );
      // Of a short window there are few users and rewards: the sums go further back.
      const reason = own?.objection?.reason;
      if (reason !== undefined && reason !== 'few_users' && reason !== 'few_rewards') {
        return own!.objection;
      }
    }
    return null;
  },
};

/** Requests whose lists are all there: the shares of those that state any sum to 1. */
function addRequests(sums: AddedRows, requests: WindowRequests, placeOf: readonly number[]): void {
  const { length, served, kind, kinds, cluster, firstItem, items, logged } = requests;
  const isWhole = wholeKinds(requests);
  const place = new Int32Array(1);
  const gain = new Float64Array(1);
  const weight = new Float64Array(1);
  for (let q = 0; q < length; q++) {
    const isOfArms = isWhole[kind[q]] === 1 && (logged === undefined || logged.kind[q] === 0);
    if (served[q] === UNUSABLE || !isOfArms || placeOf[served[q]] === undefined) continue;
    const share = shareOf(kinds, kind[q], served[q]);
    if (!(share > 0)) continue;
    place[0] = placeOf[served[q]];
    weight[0] = 1 / share;
    gain[0] = 0;
    for (let row = firstItem[q]; row < firstItem[q + 1]; row++) gain[0] += items.reward[row];
    sums.add(cluster[q], weight, place, gain, 1);
  }
}
