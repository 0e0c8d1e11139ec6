import { decimal, percent, whole } from '../../rows/figures.js';
import { GAMMA_STATUS_WORDS } from '../../rows/words.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { exposurePlot } from './exposure-plot.js';
import { lorenzPlot } from './lorenz-plot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { table } from './table.js';

/** How unevenly items are seen, and what that says of γ. */
export function exposureSection(snapshot: Snapshot): Markup {
  return html`<section aria-labelledby="exposure">
<h2 id="exposure">Popularity and exposure</h2>
<div class="columns">
<div>
<h3>Concentration</h3>
<p class="lead">The further a curve hangs below the diagonal, the fewer items hold the counts. A model below the interactions adds to their concentration. In the table, mean n is the mean popularity of what was counted.</p>
${lorenz(snapshot)}${concentrationTable(snapshot)}</div>
<div>
<h3>Presentation bias</h3>
<p class="lead">Exposures of all models per item, by how popular the item was before. γ is the slope; on a straight line the power law holds. A point gathers the items within a factor of two and stands at their mean; the fits take every level by itself. Empty levels of popularity have no exposures; least squares leaves them out.</p>
${bias(snapshot)}${fitTable(snapshot)}</div>
</div>
</section>
`;
}

function lorenz({ lorenz: { interactions, exposures } }: Snapshot): Markup {
  return lorenzPlot([
    { name: 'interactions', shares: interactions },
    ...Object.entries(exposures).map(([model, shares]) => ({ name: named(model), shares })),
  ]);
}

function concentrationTable({ popularity }: Snapshot): Markup {
  const rows = [
    ['interactions', popularity.interactions] as const,
    ...Object.entries(popularity.exposures).map(
      ([model, concentration]) => [named(model), concentration] as const,
    ),
  ];
  return table(
    'Concentration',
    ['of', 'counted', 'Gini', 'coverage', 'top 1 %', 'mean n'],
    rows.map(([heading, { total, gini, coverage, topShare, averagePopularity }]) => ({
      heading,
      cells: [
        whole(total),
        ...(total === 0
          ? ['–', '–', '–']
          : [decimal(gini, 3), percent(coverage), percent(topShare, 1)]),
        total === 0 ? '–' : decimal(averagePopularity, 1),
      ],
    })),
  );
}

function bias({ propensity }: Snapshot): Markup {
  const all = propensity.fits['*'];
  const drawn = all === undefined ? null : exposurePlot(all);
  return (
    drawn ??
    html`<p class="empty">Nothing to draw: exposures are compared with the popularity from before them, and here there are too few of one or the other. Give earlier events with <code>--train</code>, and lists that were shown.</p>
`
  );
}

/** Models that showed nothing have nothing to fit. */
function fitTable({ propensity: { fits }, popularity }: Snapshot): Markup {
  const rows = Object.entries(fits)
    .filter(([model]) => model === '*' || popularity.exposures[model]?.total !== 0)
    .sort(([a], [b]) => Number(b === '*') - Number(a === '*'));
  return table(
    'Fits of γ',
    ['exposures of', 'least squares', 'R²', 'Poisson', 'levels', 'empty'],
    rows.map(([model, { ols, poisson, levels, zeroLevels, status }]) => ({
      heading: html`${model === '*' ? 'all models' : named(model)}<small>${GAMMA_STATUS_WORDS[status]}</small>`,
      cells: [fitted(ols), decimal(ols.r2, 2), fitted(poisson), whole(levels), whole(zeroLevels)],
    })),
  );
}

function fitted({ gamma, stdErr }: { gamma: number; stdErr: number }): Piece {
  if (!Number.isFinite(gamma)) return '–';
  return html`${decimal(gamma, 3)}<small>± ${decimal(stdErr, 3)}</small>`;
}
