import { html, type Markup, named } from '../../outputs/report/markup.js';
import { table } from '../../outputs/report/table.js';
import { compact, decimal, signed, whole } from '../../rows/figures.js';
import { metricName } from '../../rows/words.js';
import { GROUP_TITLES, gapInShort, groupName, shareOfGap, sideNames } from './gap-words.js';
import type { GapReport } from './why.js';

/** What is behind the widest gaps; nothing where nobody asked. */
export function whySection(gaps: readonly GapReport[]): Markup | null {
  if (gaps.length === 0) return null;
  return html`<section aria-labelledby="why">
<h2 id="why">Why: where gaps come from</h2>
<p class="lead">What each item, and each group of users, adds to the gap between two numbers; all of them sum to it.</p>
${gaps.map(gapBlock)}</section>
`;
}

function gapBlock(gap: GapReport): Markup {
  const [first, second] = gap.numbers;
  const isOfOne = first.model === second.model;
  const title = isOfOne
    ? html`${named(first.model)}, uncorrected and corrected`
    : html`${named(first.model)} and ${named(second.model)}, by ${first.estimator}`;
  return html`<h3>${title}: ${metricName(first)}</h3>
<p>${gapInShort(gap)}</p>
${itemTable(gap)}<div class="columns">${gap.groups.map((own) => groupTable(gap, own))}</div>
`;
}

function itemTable(gap: GapReport): Markup {
  const [first, second] = sideNames(gap);
  const lines = gap.items.map(({ item, contribution, parts, hits, count, weight }) => ({
    heading: named(item),
    cells: [
      signed(contribution, 4),
      shareOfGap(contribution, gap.gap),
      decimal(parts[0], 4),
      decimal(parts[1], 4),
      whole(Math.max(...hits)),
      whole(count),
      compact(weight),
    ],
  }));
  const { items, contribution, parts } = gap.rest;
  const rest = {
    heading: `${whole(items)} others`,
    cells: [
      signed(contribution, 4),
      shareOfGap(contribution, gap.gap),
      decimal(parts[0], 4),
      decimal(parts[1], 4),
      ...['', '', ''],
    ],
  };
  const head = ['Item', 'Adds', 'Share', `of ${first}`, `of ${second}`, 'Hits', 'Count', 'Weight'];
  const caption = `Items behind the gap between ${first} and ${second} of ${gap.numbers[0].model}`;
  return table(caption, head, items > 0 ? [...lines, rest] : lines, 'wide');
}

function groupTable(gap: GapReport, { by, groups }: GapReport['groups'][number]): Markup {
  const [title, measure] = GROUP_TITLES[by];
  const peopled = groups.filter(({ users }) => users.some((own) => own > 0));
  const lines = peopled.map(({ from, to, users, contribution }) => ({
    heading: groupName(by, from, to),
    cells: [whole(Math.max(...users)), signed(contribution, 4), shareOfGap(contribution, gap.gap)],
  }));
  return table(title, [measure, 'Users', 'Adds', 'Share'], lines);
}
