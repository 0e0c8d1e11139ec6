import { decimal, percent, whole } from '../../rows/figures.js';
import type { Name } from '../../rows/findings/sentence.js';
import { type Cell, names, numbers, type Section, type Table, texts } from '../../rows/table.js';
import { GAMMA_STATUS_WORDS } from '../../rows/words.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';

type Exposed = Pick<Snapshot, 'popularity' | 'lorenz' | 'propensity'>;

/** Build the section on how unevenly items are exposed, with the fits of γ. */
export function exposureSection(snapshot: Exposed): Section {
  const { lorenz, propensity } = snapshot;
  const all = propensity.fits['*'];
  return {
    name: 'exposure',
    title: 'Popularity and exposure',
    lead: [],
    blocks: [
      {
        title: ['Concentration'],
        lead: [
          'If a model’s exposures have a higher Gini index than the interactions, the model concentrates the traffic. Mean n is the mean popularity of the counted items.',
        ],
        chart: {
          kind: 'lorenz',
          curves: [
            {
              name: 'interactions',
              shares: lorenz.interactions,
            },
            ...Object.entries(lorenz.exposures).map(([name, shares]) => ({
              name: { name },
              shares,
            })),
          ],
        },
        tables: [concentrationTable(snapshot)],
        isHalf: true,
        isAside: true,
      },
      {
        title: ['Presentation bias'],
        lead: [
          'Exposures of an item by all models, against its popularity before them. The slope is γ. If the points are on a straight line, the power law holds. The fits use every popularity level, not the bins; least squares leaves out levels without exposures.',
        ],
        chart: {
          kind: 'exposure',
          curve: {
            points: all?.curve ?? [],
            fits: Object.entries({
              'least squares': all?.ols,
              Poisson: all?.poisson,
            }).flatMap(([name, fit]) =>
              fit
                ? [
                    {
                      name,
                      ...fit,
                    },
                  ]
                : [],
            ),
          },
          empty: [
            'There are too few exposures, or too few events before them, to plot exposure against earlier popularity. Give earlier events with ',
            { strong: '--train' },
            ', and log served lists.',
          ],
        },
        tables: [fitTable(snapshot)],
        isHalf: true,
        isAside: true,
      },
    ],
  };
}

function concentrationTable({ popularity }: Exposed): Table {
  const rows: [string | Name, (typeof popularity)['interactions']][] = [
    ['interactions', popularity.interactions],
    ...Object.entries(popularity.exposures).map(
      ([name, concentration]): [Name, typeof concentration] => [{ name }, concentration],
    ),
  ];
  return {
    name: 'concentration',
    title: 'Concentration',
    columns: [...names('counts of'), ...numbers('total', 'Gini', 'coverage', 'top 1 %', 'mean n')],
    lines: rows.map(([of, { total, gini, coverage, topShare, averagePopularity }]) => [
      of,
      whole(total),
      ...(total === 0
        ? ['–', '–', '–', '–']
        : [
            decimal(gini, 3),
            percent(coverage, 1),
            percent(topShare, 1),
            decimal(averagePopularity, 1),
          ]),
    ]),
  };
}

/**
 * Build the table of γ fits by model. Models without exposures are left out, since nothing can be
 * fitted.
 */
function fitTable({ propensity: { fits }, popularity }: Exposed): Table {
  const rows = Object.entries(fits)
    .filter(([model]) => model === '*' || popularity.exposures[model]?.total !== 0)
    .sort(([a], [b]) => Number(b === '*') - Number(a === '*'));
  return {
    name: 'fits',
    title: 'Fits of γ',
    columns: [
      ...names('exposures of'),
      ...texts('fit'),
      ...numbers('least squares', 'R²', 'Poisson', 'levels', 'no exposures'),
    ],
    lines: rows.map(([name, { ols, poisson, levels, zeroLevels, status }]): Cell[] => [
      name === '*' ? 'all models' : { name },
      GAMMA_STATUS_WORDS[status],
      fitted(ols),
      decimal(ols.r2, 2),
      fitted(poisson),
      whole(levels),
      whole(zeroLevels),
    ]),
  };
}

function fitted({ gamma, stdErr }: { gamma: number; stdErr: number }): Cell {
  if (!Number.isFinite(gamma)) return '–';
  return {
    words: decimal(gamma, 3),
    notes: [`± ${decimal(stdErr, 3)}`],
  };
}
