import type { DraftManifest, Manifest } from '../../export/manifest.js';
import type { LorenzCurves, SetSummary } from '../../export/set-summary.js';
import { compact, decimal, percent, whole } from '../../rows/figures.js';
import { fileWords } from '../../rows/findings/file-words.js';
import { setFindings } from '../../rows/findings/set.js';
import { findingsSection } from './findings-section.js';
import { lorenzPlot } from './lorenz-plot.js';
import { html, type Markup, named } from './markup.js';
import { reportPage } from './report-page.js';
import { table } from './table.js';

/** What a set is made of and what was traded for it, as a page that stands by itself. */
export function setReportHtml(set: DraftManifest, lorenz: SetSummary['lorenz']): string {
  const { strategy, part } = set.plan;
  return reportPage({
    title: `a ${part} set drawn by ${strategy}`,
    heading: `A ${part} set drawn by ${strategy}`,
    tagline:
      'Rows of observed interactions, drawn so that popular items and busy users count for less.',
    figures: keyFigures(set),
    sections: [
      html`<div class="first">
${findingsSection('Before you use this set', setFindings(set))}${spread(set, lorenz)}</div>
`,
      traded(set),
      steps(set),
    ],
    foot: `Written by unskew ${set.version}. Beside this file the manifest says how to make the set again.`,
  });
}

function keyFigures({ counts, weights, items, users }: DraftManifest): Markup {
  const figures = [
    ['rows', whole(counts.drawn), `of ${whole(counts.sampled)}`],
    ['weights worth', whole(weights.ess), 'equal rows, were all kept'],
    ['Gini of items', decimal(items.expected.gini, 3), `before ${decimal(items.before.gini, 3)}`],
    ['Gini of users', decimal(users.expected.gini, 3), `before ${decimal(users.before.gini, 3)}`],
  ];
  return html`<dl class="figures">${figures.map(
    ([name, value, note]) =>
      html`<div><dt>${name!}</dt><dd>${value!}<small>${note!}</small></dd></div>`,
  )}</dl>
`;
}

function spread(set: DraftManifest, { items, users }: SetSummary['lorenz']): Markup {
  const curves = ({ before, expected }: LorenzCurves) => [
    { name: 'before', shares: before },
    { name: 'expected of a set', shares: expected },
  ];
  return html`<section aria-labelledby="spread">
<h2 id="spread">Popularity and activity</h2>
<p class="lead">The further a curve hangs below the diagonal, the fewer items, or users, hold the rows. <b>Before</b> is the whole ${set.plan.part} part, <b>expected</b> is the mean of all sets of this size, and <b>drawn</b> is this one, in which chance adds unevenness; all over the items and users of the part. Distance and KL are from an even spread; <b>as good as</b> is how many evenly used ones would be as diverse.</p>
<div class="columns">
<div>
<h3>Items</h3>
${lorenzPlot(curves(items), 'Lorenz curves of items before and as expected of a set', 'the items')}${spreadTable('Items', set.items, set.target?.item)}</div>
<div>
<h3>Users</h3>
${lorenzPlot(curves(users), 'Lorenz curves of users before and as expected of a set', 'the users')}${spreadTable('Users', set.users, set.target?.user)}</div>
</div>
</section>
`;
}

function spreadTable(
  caption: string,
  sides: Manifest['items'],
  target: { readonly before: number; readonly after: number } | undefined,
): Markup {
  const rows = (['before', 'expected', 'after'] as const).map((when) => {
    const { rows, seen, gini, kl, totalVariation, effective } = sides[when];
    const cells = [
      whole(rows),
      whole(seen),
      decimal(gini, 3),
      decimal(kl, 3),
      decimal(totalVariation, 3),
      whole(effective),
      ...(target === undefined ? [] : [when === 'expected' ? '–' : decimal(target[when], 3)]),
    ];
    return { heading: when === 'after' ? 'drawn' : when, cells };
  });
  const head = ['', 'rows', 'with a row', 'Gini', 'KL', 'distance', 'as good as'];
  return table(caption, target === undefined ? head : [...head, 'from target'], rows);
}

function traded({ weights, counts }: DraftManifest): Markup {
  const quantiles = weights.quantiles.map(({ p, weight }) => ({
    heading: percent(p),
    cells: [weight.toExponential(3)],
  }));
  const figures = [
    ['rows of the part', whole(counts.sampled)],
    ['rows of the set', whole(counts.drawn)],
    ['equal rows that the weights are worth', whole(weights.ess)],
    ['largest share of one weight', percent(weights.largestShare, 2)],
    ['distance of the set from its weights', decimal(weights.distance, 3)],
  ];
  return html`<section aria-labelledby="traded">
<h2 id="traded">What was traded</h2>
<p class="lead">A smaller set follows its weights more closely and is less certain. The distance is the total variation between the expected set and the weights: 0 follows them, and a set of all rows does not at all.</p>
<div class="columns">
<div>
${table(
  'Size',
  ['', 'value'],
  figures.map(([heading, value]) => ({ heading: heading!, cells: [value!] })),
)}</div>
<div>
${table('Weights of the part’s rows', ['share of rows up to', 'weight'], quantiles)}</div>
</div>
</section>
`;
}

function steps({ counts, sources, plan }: DraftManifest): Markup {
  const { leftOut, pairs } = counts;
  const faulty = Object.values(counts.faults).reduce((sum, n) => sum + n, 0);
  const rows: [string, number][] = [
    ['events read', counts.events],
    ['lists', counts.exposures],
    ['passed over by the mapping', counts.ignored],
    ['faulty', faulty],
    ['outside the range', counts.outsideRange],
    ['interactions in the range', counts.interactions],
    ['the same event again', leftOut.duplicate],
    ['the same pair again', leftOut.repeated],
    ['held-out pairs that were trained on', leftOut.inTrain],
    ['from randomised traffic', leftOut.randomized],
    ['pairs of the train part', pairs.train],
    ['pairs of the test part', pairs.test],
    [
      plan.propensities === undefined ? 'pairs of weight 0' : 'pairs without a propensity',
      counts.zeroWeight,
    ],
    ['rows of the set', counts.drawn],
  ];
  const parameters: (readonly [string, string])[] = [
    ['seed', String(plan.seed)],
    ['split', plan.split === null ? 'by source' : compact(plan.split)],
    ...(plan.propensities === undefined
      ? ([
          ['exponent', compact(plan.exponent)],
          ['smoothing', compact(plan.smoothing)],
        ] as const)
      : ([['propensities', fileWords(plan.propensities)]] as const)),
  ];
  const places = sources.map((source) => (source.kind === 'file' ? source.path : source.topic));
  return html`<section aria-labelledby="steps">
<h2 id="steps">Where the rows come from</h2>
<p class="lead">Read from ${places.flatMap((place, p) => (p === 0 ? [named(place)] : [', ', named(place)]))}.</p>
<div class="columns">
<div>
${table(
  'Counts at each step',
  ['', 'count'],
  rows.map(([heading, count]) => ({ heading, cells: [whole(count)] })),
)}</div>
<div>
${table(
  'Parameters',
  ['', 'value'],
  parameters.map(([heading, value]) => ({ heading, cells: [value] })),
)}</div>
</div>
</section>
`;
}
