import { compact, decimal, type Figure, signed, whole } from '../../rows/figures.js';
import { say } from '../../rows/findings/sentence.js';
import {
  type Block,
  type Cell,
  names,
  numbers,
  type Section,
  type Table,
  texts,
} from '../../rows/table.js';
import { metricName } from '../../rows/words.js';
import {
  GROUP_TITLES,
  gapInShort,
  groupName,
  shareOfGap,
  sideNames,
  type WordedGap,
} from './gap-words.js';
import type { UserGrouping } from './user-groups.js';
import type { GapReport } from './why.js';

/**
 * Section on the widest gaps. For each, it shows the items that contribute most, the sum of all
 * other items, and the groups of users.
 */
export function whySection(gaps: readonly GapReport[]): Section {
  return {
    name: 'why',
    title: 'Why: where gaps come from',
    lead: [
      gaps.length === 0
        ? 'There is no gap to explain. An explanation needs naive and snips of one metric over all events.'
        : 'These tables show how much each item and each group of users contributes to the gap between two estimates. The contributions sum to the gap.',
    ],
    blocks: gaps.flatMap((gap): Block[] => {
      const [first, second] = gap.numbers;
      const what =
        first.model === second.model
          ? say`${{ name: first.model }}, uncorrected and corrected`
          : say`${{ name: first.model }} and ${{ name: second.model }}, by ${first.estimator}`;
      return [
        {
          title: say`${what}: ${metricName(first)}`,
          lead: [gapInShort(gap)],
          tables: [itemTable(gap)],
        },
        ...gap.groups.map(
          (own): Block => ({
            tables: [groupTable(gap, own)],
            isHalf: true,
          }),
        ),
      ];
    }),
  };
}

/** A gap with all its parts, in memory or as parsed from JSON. */
interface ShownGap extends WordedGap {
  readonly items: readonly (Omit<ShownGap['rest'], 'items'> & {
    readonly item: string;
    readonly hits: readonly number[];
    readonly count: number;
    readonly weight: Figure;
  })[];
  readonly rest: WordedGap['rest'] & { readonly parts: readonly Figure[] };
}

interface ShownGroups {
  readonly by: UserGrouping;
  readonly groups: readonly {
    readonly from: number;
    readonly to: Figure;
    readonly users: readonly number[];
    readonly contribution: Figure;
  }[];
}

export function itemTable(gap: ShownGap): Table {
  const [first, second] = sideNames(gap);
  const { gap: total, items, rest } = gap;
  const adds = barsOf(items);
  const added = ({ contribution, parts }: Omit<ShownGap['rest'], 'items'>): Cell[] => [
    adds(contribution),
    shareOfGap(contribution, total),
    ...parts.map((part) => decimal(part, 4)),
  ];
  const lines = items.map((own): Cell[] => [
    { name: own.item },
    ...added(own),
    whole(Math.max(...own.hits)),
    whole(own.count),
    compact(own.weight),
  ]);
  if (rest.items > 0) {
    lines.push([`${whole(rest.items)} others`, ...added(rest), '', '', '']);
  }
  return {
    name: 'why-items',
    title: say`Items behind the gap between ${{ name: first }} and ${{ name: second }} of ${{ name: gap.numbers[0].model }}`,
    columns: [
      ...names('item'),
      ...numbers(
        'contribution',
        'share of gap',
        say`of ${{ name: first }}`,
        say`of ${{ name: second }}`,
      ),
      ...numbers('hits', 'count', 'weight'),
    ],
    lines,
  };
}

export function groupTable({ gap }: Pick<ShownGap, 'gap'>, { by, groups }: ShownGroups): Table {
  const [title, measure] = GROUP_TITLES[by];
  const adds = barsOf(groups);
  return {
    name: `why-${by}`,
    title,
    columns: [...texts(measure.toLowerCase()), ...numbers('users', 'contribution', 'share of gap')],
    lines: groups
      .filter(({ users }) => users.some((own) => own > 0))
      .map(({ from, to, users, contribution }) => [
        groupName(by, from, to),
        whole(Math.max(...users)),
        adds(contribution),
        shareOfGap(contribution, gap),
      ]),
  };
}

/**
 * Make a function that formats a contribution as a cell. The cell has a bar, as long as the
 * contribution relative to the largest one.
 */
function barsOf(all: readonly { readonly contribution: Figure }[]) {
  const longest = Math.max(...all.map(({ contribution }) => Math.abs(contribution ?? 0)));
  return (own: Figure): Cell => ({
    words: signed(own, 4),
    share: longest > 0 ? Math.abs(own ?? 0) / longest : 0,
  });
}
