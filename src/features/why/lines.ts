import { plainSpaces, printable, wrapped } from '../../outputs/text/terminal.js';
import { compact, decimal, signed, whole } from '../../rows/figures.js';
import { metricName } from '../../rows/words.js';
import { GROUP_TITLES, groupName, shareOfGap } from './gap-words.js';
import type { GapReport } from './why.js';

/** Where gaps come from, a block each: items, all others, and groups of users. */
export function whyText(gaps: readonly GapReport[]): string {
  if (gaps.length === 0) {
    return 'Why: there is no gap to take apart; it takes naive and snips of one metric over all events.\n\n';
  }
  return plainSpaces(`${gaps.map((gap) => linesOf(gap).join('\n')).join('\n\n')}\n\n`);
}

function linesOf(gap: GapReport): string[] {
  const { numbers, values, items, rest, groups } = gap;
  const [first, second] = numbers;
  const of = first.model === second.model ? ` of ${printable(first.model)}` : '';
  const [a, b] = numbers.map(({ model, estimator }) =>
    first.model === second.model ? estimator : printable(model),
  );
  const by = first.model === second.model ? '' : ` by ${first.estimator}`;
  const head = `Why ${metricName(first)}${of}${by} is ${decimal(values[0], 4)} of ${a} and ${decimal(values[1], 4)} of ${b}, a gap of ${signed(gap.gap, 4)}:`;
  const part = (contribution: number) =>
    `${signed(contribution, 4)} ${shareOfGap(contribution, gap.gap).padStart(6)}`;
  return [
    ...wrapped(head),
    ...items.map(
      ({ item, contribution, hits, count, weight }) =>
        `  ${part(contribution)}  item ${printable(item)}: ${whole(Math.max(...hits))} hits, count ${whole(count)}, weight ${compact(weight)}`,
    ),
    ...(rest.items > 0
      ? [`  ${part(rest.contribution)}  ${whole(rest.items)} other items with a hit`]
      : []),
    ...groups.flatMap(({ by: way, groups: own }) => {
      const [title, measure] = GROUP_TITLES[way];
      const peopled = own.filter(({ users }) => users.some((count) => count > 0));
      return [
        `  ${title}, ${measure.toLowerCase()}:`,
        ...peopled.map(
          ({ from, to, users, contribution }) =>
            `  ${part(contribution)}  ${groupName(way, from, to)}: ${whole(Math.max(...users))} users`,
        ),
      ];
    }),
  ];
}
