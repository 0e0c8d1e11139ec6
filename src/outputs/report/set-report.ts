import type { DraftManifest, Manifest } from '../../export/manifest.js';
import type { LorenzCurves, SetSummary } from '../../export/set-summary.js';
import { compact, decimal, percent, whole } from '../../rows/figures.js';
import { fileWords } from '../../rows/findings/propensities.js';
import { say } from '../../rows/findings/sentence.js';
import { setFindings } from '../../rows/findings/set.js';
import { type Block, names, numbers, type Section, type Table } from '../../rows/table.js';
import { capital, listed } from '../../rows/words.js';
import { findingsSection } from './findings-section.js';
import { figureList } from './key-figures.js';
import { html, type Markup } from './markup.js';
import { reportPage } from './report-page.js';
import { sectionMarkup } from './section.js';

/** Render a page about an exported test set: its content, and how much data the debiasing cost. */
export function setReportHtml(set: DraftManifest, lorenz: SetSummary['lorenz']): string {
  const { strategy, part } = set.plan;
  return reportPage({
    title: `a ${part} set sampled by ${strategy}`,
    heading: `A ${part} set sampled by ${strategy}`,
    tagline: 'Observed interactions, sampled so that popular items and active users count less.',
    figures: keyFigures(set),
    sections: [
      html`<div class="first">
${findingsSection('Before you use this set', setFindings(set))}${sectionMarkup(spread(set, lorenz))}</div>
`,
      ...[traded(set), steps(set)].map(sectionMarkup),
    ],
    foot: `Written by unskew ${set.version}. The manifest beside this file has all that is needed to make the set again.`,
  });
}

function keyFigures({ counts, weights, items, users }: DraftManifest): Markup {
  return figureList([
    ['rows', whole(counts.drawn), `of ${whole(counts.sampled)}`],
    ['effective rows', whole(weights.ess), 'equally weighted rows that the weights are worth'],
    ['Gini of items', decimal(items.expected.gini, 3), `before ${decimal(items.before.gini, 3)}`],
    ['Gini of users', decimal(users.expected.gini, 3), `before ${decimal(users.before.gini, 3)}`],
  ]);
}

function spread(set: DraftManifest, { items, users }: SetSummary['lorenz']): Section {
  const half = (
    of: 'items' | 'users',
    { before, expected }: LorenzCurves,
    table: Table,
  ): Block => ({
    title: [capital(of)],
    tables: [table],
    isHalf: true,
    chart: {
      kind: 'lorenz',
      of,
      curves: [
        {
          name: 'before',
          shares: before,
        },
        {
          name: 'expected test set',
          shares: expected,
        },
      ],
    },
  });
  return {
    name: 'spread',
    title: 'Popularity and activity',
    lead: say`The further a curve is below the diagonal, the more the rows concentrate on few items or users. ${{ strong: 'Before' }} is the whole ${set.plan.part} part. ${{ strong: 'Expected' }} is the mean over all sets of this size. ${{ strong: 'Drawn' }} is this set, which random sampling makes less even. Distance (total variation) and KL divergence compare the rows with a uniform spread over the items or users of the part. ${{ strong: 'Effective' }} is the number of equally frequent items or users that would be as diverse.`,
    blocks: [
      half('items', items, spreadTable('Items', set.items, set.target?.item)),
      half('users', users, spreadTable('Users', set.users, set.target?.user)),
    ],
  };
}

function spreadTable(
  caption: string,
  sides: Manifest['items'],
  target:
    | {
        readonly before: number;
        readonly after: number;
      }
    | undefined,
): Table {
  const isAimed = target !== undefined;
  return {
    name: 'spread',
    title: caption,
    columns: [
      ...names(''),
      ...numbers('rows', 'with a row', 'Gini', 'KL', 'distance', 'effective'),
      ...numbers(...(isAimed ? ['distance to target'] : [])),
    ],
    lines: (['before', 'expected', 'after'] as const).map((when) => {
      const { rows, seen, gini, kl, totalVariation, effective } = sides[when];
      return [
        when === 'after' ? 'drawn' : when,
        whole(rows),
        whole(seen),
        ...[gini, kl, totalVariation].map((own) => decimal(own, 3)),
        whole(effective),
        ...(isAimed ? [when === 'expected' ? '–' : decimal(target[when], 3)] : []),
      ];
    }),
  };
}

function traded({ weights, counts }: DraftManifest): Section {
  const figures = [
    ['rows of the part', whole(counts.sampled)],
    ['rows of the set', whole(counts.drawn)],
    ['effective rows of the weights', whole(weights.ess)],
    ['share of the largest weight', percent(weights.largestShare, 2)],
    ['distance of the expected set from the weights', decimal(weights.distance, 3)],
  ];
  const quantiles = weights.quantiles.map(({ p, weight }) => [percent(p), weight.toExponential(3)]);
  return {
    name: 'traded',
    title: 'Size of the set and its weights',
    lead: [
      'A smaller set follows the weights more closely, but gives less certain results. The distance is the total variation between the expected set and the weights: 0 means that the set follows them exactly.',
    ],
    blocks: [
      half('Size', ['', 'value'], figures),
      half('Weights of the part’s rows', ['quantile', 'weight'], quantiles),
    ],
  };
}

/** Build a block of half width that has a table with two columns. */
function half(title: string, [name, value]: readonly string[], lines: Table['lines']): Block {
  const columns = [...names(name!), ...numbers(value!)];
  return {
    tables: [
      {
        name: title,
        title,
        columns,
        lines,
      },
    ],
    isHalf: true,
  };
}

function steps({ counts, sources, plan }: DraftManifest): Section {
  const { leftOut, pairs } = counts;
  const faulty = Object.values(counts.faults).reduce((sum, n) => sum + n, 0);
  const rows: [string, number][] = [
    ['events read', counts.events],
    ['exposures', counts.exposures],
    ['ignored by the mapping', counts.ignored],
    ['invalid', faulty],
    ['outside the range', counts.outsideRange],
    ['interactions in the range', counts.interactions],
    ['duplicate events', leftOut.duplicate],
    ['repeated pairs', leftOut.repeated],
    ['held-out pairs that are in the train part', leftOut.inTrain],
    ['from randomised traffic', leftOut.randomized],
    ['pairs of the train part', pairs.train],
    ['pairs of the test part', pairs.test],
    [
      plan.propensities === undefined ? 'pairs of weight 0' : 'pairs without a propensity',
      counts.zeroWeight,
    ],
    ['rows of the set', counts.drawn],
  ];
  const parameters = [
    ['seed', String(plan.seed)],
    ['split', plan.split === null ? 'by source' : compact(plan.split)],
    ...(plan.propensities === undefined
      ? [
          ['exponent', compact(plan.exponent)],
          ['smoothing', compact(plan.smoothing)],
        ]
      : [['propensities', fileWords(plan.propensities)]]),
  ];
  const places = sources.map((source) => (source.kind === 'file' ? source.path : source.topic));
  return {
    name: 'steps',
    title: 'Where the rows come from',
    lead: say`Read from ${listed(
      places.map((name) => ({ name })),
      ', ',
    )}.`,
    blocks: [
      half(
        'Counts at each step',
        ['', 'count'],
        rows.map(([name, count]) => [name, whole(count)]),
      ),
      half('Parameters', ['', 'value'], parameters),
    ],
  };
}
