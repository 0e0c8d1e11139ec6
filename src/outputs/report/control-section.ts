import type { ControlVariate } from '../../estimators/results/control-variate.js';
import { decimal, percent } from '../../rows/figures.js';
import { CLEARLY_APART } from '../../rows/findings/thresholds.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, type Piece } from './markup.js';
import { table } from './table.js';

const GROUPS = ['all users', 'least active third', 'middle third', 'most active third'];

/** Propensities compared with randomised traffic, where there is any. */
export function controlSection({ controlVariates }: WindowSnapshot): Markup | null {
  if (controlVariates.length === 0) return null;
  const deciles = [...new Set(controlVariates.map(({ decile }) => decile))].sort((a, b) => a - b);
  const cell = (decile: number, group: number): Piece => {
    const userGroup = group === 0 ? null : group - 1;
    const own = controlVariates.find((one) => one.decile === decile && one.userGroup === userGroup);
    return own === undefined ? '–' : compared(own);
  };
  return html`<section aria-labelledby="control">
<h2 id="control">Propensities against randomised traffic</h2>
<p class="lead">Share of the relevant pairs that falls to each tenth of the items: as the weighted organic events have it, and as randomised events have it. If propensities are right the two agree except for chance. <span class="low">Marked</span>: more than ${CLEARLY_APART} standard errors apart.</p>
${table(
  'Shares of weighted organic and of randomised events',
  ['items by popularity', ...GROUPS],
  deciles.map((decile) => ({
    heading: html`tenth ${decile + 1}${ends(decile, deciles)}`,
    cells: GROUPS.map((_, group) => cell(decile, group)),
  })),
)}</section>
`;
}

function ends(decile: number, deciles: readonly number[]): Piece {
  if (decile === deciles[0]) return html` <small>least popular</small>`;
  return decile === deciles.at(-1) ? html` <small>most popular</small>` : null;
}

function compared({ weightShare, randomizedShare, z }: ControlVariate): Piece {
  const shares = html`${percent(weightShare, 1)} · ${percent(randomizedShare, 1)}`;
  if (!Number.isFinite(z)) return html`${shares}<small>too few</small>`;
  const words = html`z ${decimal(z, 1)}`;
  return html`${shares}<small>${Math.abs(z) > CLEARLY_APART ? html`<span class="low">${words}</span>` : words}</small>`;
}
