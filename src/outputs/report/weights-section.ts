import type { EstimatorName } from '../../estimators/names.js';
import type { InterventionSummary } from '../../estimators/results/intervention-summary.js';
import { compact, decimal, percent, whole } from '../../rows/figures.js';
import { isTooFew } from '../../rows/findings/sample.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { table } from './table.js';
import { weightPlot } from './weight-plot.js';

/** What the estimates rest on: weights, effective sizes, interventions. */
export function weightsSection(window: WindowSnapshot): Markup {
  return html`<section aria-labelledby="weights">
<h2 id="weights">Weights and effective size</h2>
<div class="columns">
<div>
<h3>Weights of the events</h3>
<p class="lead">Of n<sup>−β</sup>, which snips uses as they are. If few events hold much of the weight, they decide the estimate.</p>
${weightPlot(window.weightDistribution) ?? html`<p class="empty">No event has weight here.</p>`}</div>
<div>
<h3>Effective users</h3>
<p class="lead">How many users of equal weight the pooled estimate is worth; below it how many events, and the share of the weight that the heaviest event holds.</p>
${sizes(window)}</div>
</div>
${window.interventions.length === 0 ? null : interventions(window.interventions)}</section>
`;
}

function sizes({ effectiveSampleSizes, models }: WindowSnapshot): Markup {
  const estimators = [...new Set(effectiveSampleSizes.map(({ estimator }) => estimator))];
  const cell = (model: string, estimator: EstimatorName): Piece => {
    const own = effectiveSampleSizes.find(
      (row) => row.model === model && row.estimator === estimator,
    );
    if (own === undefined) return '–';
    const users = isTooFew(own.users)
      ? html`<span class="low">${decimal(own.users, 1)} low</span>`
      : whole(own.users);
    return html`${users}<small>${whole(own.events)}</small><small>${percent(own.largestShare, 1)}</small>`;
  };
  return table(
    'Effective sample sizes',
    ['model', ...estimators],
    models.map(({ model, users, events, singletonUserRatio }) => ({
      heading: html`${named(model)}<small>${whole(users)} users, ${percent(singletonUserRatio)} with one event</small><small>${whole(events)} events</small>`,
      cells: estimators.map((estimator) => cell(model, estimator)),
    })),
  );
}

function interventions(summaries: readonly InterventionSummary[]): Markup {
  return html`<h3>Interventions</h3>
<p class="lead">What each intervention makes of the window’s pairs: before it, and as expected after it. Weights are over their mean; margins are the total variation of users and of items from the target.</p>
${table(
  'Interventions',
  [
    'estimator',
    'pairs',
    'eff. pairs',
    'item weights',
    'user margins',
    'item margins',
    'Gini of items',
    'KL from uniform',
  ],
  summaries.map((own) => ({
    heading: html`${own.estimator}${own.raking?.isDamped ? html` <small>damped</small>` : null}`,
    cells: [
      change(own.rows, own.expected, whole),
      html`${whole(own.ess)}<small>${percent(own.largestShare, 1)} heaviest</small>`,
      itemWeights(own),
      change(own.margins.user.before, own.margins.user.sample, (value) => decimal(value, 3)),
      change(own.margins.item.before, own.margins.item.sample, (value) => decimal(value, 3)),
      change(own.before.gini, own.sample.gini, (value) => decimal(value, 3)),
      change(own.before.kl, own.sample.kl, (value) => decimal(value, 3)),
    ],
  })),
)}`;
}

function itemWeights({ itemWeights: quantiles }: InterventionSummary): Piece {
  if (quantiles.length === 0) return '–';
  const [least, most] = [quantiles[0], quantiles[quantiles.length - 1]];
  const middle = quantiles.find(({ quantile }) => quantile === 0.5)!;
  return html`${compact(least.weight)} to ${compact(most.weight)}<small>median ${compact(middle.weight)}</small>`;
}

function change(before: number, after: number, words: (value: number) => string): string {
  return `${words(before)} → ${words(after)}`;
}
