import { firstDifference } from '../../estimators/evidence/first-difference.js';
import { NOT_IN_LIST } from '../../state/panes/window-part.js';
import { REQUEST_CLUSTERS } from '../../state/requests/pane-requests.js';
import { shareOf } from '../../state/requests/request-kinds.js';
import {
  firstOfEach,
  type KeptRequests,
  mostOfUser,
  usableRequests,
} from '../values/request-shares.js';
import type { Measure } from './measure.js';
import type { RowGains, RunningSums } from './running-sums.js';

/**
 * Largest number of models that get the sharper form against each other, since each pair of models
 * needs sums of its own.
 */
const MOST_PAIRED = 8;
const POINTS = 1 + MOST_PAIRED;

/**
 * Measure of arms by the rewards of the requests that they served.
 *
 *   w = 1 / s, gain = Σ c:  R_a = Σ_q 1{a served} c_q / s_qa / Σ_q 1{a served} / s_qa
 *
 * with s the request's stated share and c the rewards of its items. Each request has its own share,
 * so shares may change within an epoch. The sharper form counts rewards only from the first
 * position on at which the lists of two arms differ. Shadow models have no verdict here, since
 * their value depends on examination, which is fitted for each window. Only a user's first requests
 * of a day count, to limit crawlers. Source: self-normalised inverse propensity scoring (Hájek).
 */
export const VALUE_MEASURE: Measure = {
  name: {
    metric: 'value',
    k: null,
  },
  rung: 'experiment',
  shape: {
    points: POINTS,
    groups: REQUEST_CLUSTERS,
    estimate: 0,
    corrected: [0],
  },
  belowPoint: (other) => (other < MOST_PAIRED ? 1 + other : undefined),
  restsOnGamma: false,
  add({ sums, epochs, cap, dayMs, snapshot: { paneEnd }, sources }) {
    const { tickMs, models, requests } = sources;
    const pane = paneEnd / tickMs - 1;
    const places = models.map(({ name }) => epochs.byName.get(name)!.place);
    const day = requests.filter((each) => each.pane <= pane && each.pane > pane - dayMs / tickMs);
    const { panes } = usableRequests(day);
    const since = cap?.since ?? paneEnd - tickMs;
    const isSettled = cap !== null && paneEnd - since > dayMs;
    const most = isSettled ? cap.most : mostOfUser(panes);
    for (const first of firstOfEach(panes, most)) {
      if (first.pane.pane === pane) {
        addRequests(sums, first, places);
      }
    }
    return { since, most };
  },
  objection: (model, reference, { windows }) => {
    const names = [model, reference];
    for (const { valueEvidence = [] } of windows) {
      const own = valueEvidence.find(
        (each) => names.includes(each.model) && names.includes(each.reference),
      );
      // Too few users or rewards in a short window do not matter, since the sums cover a longer time.
      const reason = own?.objection?.reason;
      if (reason !== undefined && reason !== 'few_users' && reason !== 'few_rewards') {
        return own!.objection;
      }
    }
    return null;
  },
  isBelowRight: (model, reference, { windows }) =>
    windows.some(({ valueEvidence = [] }) =>
      valueEvidence.some(
        (each) =>
          each.sharper !== undefined &&
          [model, reference].every((name) => name === each.model || name === each.reference),
      ),
    ),
};

function addRequests(
  sums: RunningSums,
  { pane, kept }: KeptRequests,
  placeOf: readonly number[],
): void {
  const { served, kind, kinds, cluster, firstItem, items, places, depth, listedLevel } = pane;
  const none = new Uint16Array(items.length).fill(NOT_IN_LIST);
  const ranksOf = (model: number) => items.ranks[model] ?? none;
  const earned: RowGains = {
    count: 1,
    places: new Int32Array(1),
    gains: new Float64Array(1),
  };
  const weights = new Float64Array(POINTS);
  for (const q of kept) {
    const own = placeOf[served[q]];
    const share = shareOf(kinds, kind[q], served[q]);
    if (own === undefined || !(share > 0)) continue;
    const from = firstItem[q];
    const to = firstItem[q + 1];
    let gain = 0;
    for (let row = from; row < to; row++) {
      gain += items.reward[row];
    }
    earned.places[0] = own;
    earned.gains[0] = gain;
    weights.fill(0);
    weights[0] = 1 / share;
    const ranks = ranksOf(served[q]);
    for (const [other, otherPlace] of placeOf.entries()) {
      if (gain === 0 || otherPlace >= MOST_PAIRED || otherPlace === own) continue;
      // Lists can only be compared if all of their items are logged.
      const first =
        depth[q] >= listedLevel ? firstDifference(ranks, ranksOf(other), from, to, places) : 0;
      let below = 0;
      for (let row = from; row < to; row++) {
        if (ranks[row] >= first) {
          below += items.reward[row];
        }
      }
      // Only the reward below the first difference counts: gain × weight = below / share.
      weights[1 + otherPlace] = below === gain ? 1 / share : below / gain / share;
    }
    sums.add(cluster[q], weights, earned);
  }
}
