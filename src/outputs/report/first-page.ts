import { sheetSectionsOf } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import type { Finding } from '../../rows/findings/finding.js';
import { ANSWER_WORDS } from '../../rows/findings/reasons.js';
import { leadingMeasure, type Trust } from '../../rows/findings/window-trust.js';
import type { ShownRow } from '../../rows/row.js';
import type { Cell, Table } from '../../rows/table.js';
import { metricName, middleCut } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { findingItems, findingMarkup } from './findings-section.js';
import { html, type Markup, named, shortNamed } from './markup.js';
import { tableMarkup } from './section.js';
import { standingSection } from './standing.js';

/** What is said before all numbers. */
export interface Told {
  readonly verdicts: readonly Finding[];
  readonly trust: Trust;
  /** Those that no reason on the sheet has said. */
  readonly findings: readonly Finding[];
  /** The verdict says what the first reason would. */
  readonly isInVerdict: boolean;
}

/** As many sentences as fit on the sheet beside the chart. */
const MOST_VERDICTS = 3;
export const MOST_REASONS = 2;
const MOST_FINDINGS = 3;
/** Lines of a table, and models beside each other, with as many letters of their names. */
const MOST_VALUES = 5;
const MOST_MODELS_ACROSS = 5;
const LONGEST_ACROSS = 16;

/**
 * Which model is better, how they stand, and what speaks against it: a sheet that says enough alone.
 * What is left of verdicts and findings comes behind it.
 */
export function firstPage(snapshot: Snapshot, window: WindowSnapshot, told: Told): Markup {
  return html`<div class="first">
${verdictSection(told.verdicts)}${standingSection(snapshot, window, [...told.findings, ...told.trust.reasons])}${winsSection(snapshot, window)}${trustSection(told)}</div>
`;
}

/** Which model is better; nothing where there is nothing to compare. */
function verdictSection(verdicts: readonly Finding[]): Markup | null {
  const [first, ...others] = verdicts;
  if (first === undefined) return null;
  return html`<section aria-labelledby="verdict">
<h2 id="verdict">Which model is better?</h2>
<p class="verdict">${findingMarkup(first, shortNamed)}</p>
${sentences(others.slice(0, MOST_VERDICTS - 1), shortNamed)}${leftOut(verdicts.length - MOST_VERDICTS, ['pair', 'pairs'])}</section>
`;
}

/**
 * Where models win and lose by the measure of the verdict, as features have it and as far as there is
 * room: the first table of each, without its intervals.
 */
function winsSection(snapshot: Snapshot, window: WindowSnapshot): Markup | null {
  const measure = leadingMeasure(window, snapshot.verdicts);
  if (measure === null) return null;
  const shows = ({ metric, k }: ShownRow) => metric === measure.metric && k === measure.k;
  const shown = sheetSectionsOf(allOutputs(), window, shows).flatMap(({ name, blocks }) => {
    const [table, ...others] = blocks.flatMap(({ tables }) => tables);
    if (table === undefined) return [];
    return html`${tableMarkup(onSheet(table))}${leftOut(others.length, ['dimension', 'dimensions'], name)}`;
  });
  if (shown.length === 0) return null;
  return html`<section aria-labelledby="where">
<h2 id="where">Where models win and lose, by ${metricName(measure)}</h2>
${shown}</section>
`;
}

function onSheet(table: Table): Table {
  const { columns, lines } = table;
  const [model = 0] = table.pivot ?? [];
  const kept = columns.flatMap((_, c) => (c === 0 || c === model || c === model + 1 ? [c] : []));
  const firstOf = (c: number, most: number) =>
    new Set([...new Set(lines.map((line) => JSON.stringify(line[c])))].slice(0, most));
  const values = firstOf(0, MOST_VALUES);
  const models = firstOf(model, MOST_MODELS_ACROSS);
  return {
    ...table,
    columns: kept.map((c) => columns[c]),
    pivot: [1],
    lines: lines
      .filter(
        (line) => values.has(JSON.stringify(line[0])) && models.has(JSON.stringify(line[model])),
      )
      .map((line) => kept.map((c) => shortened(line[c]))),
  };
}

function shortened(cell: Cell): Cell {
  return typeof cell === 'object' && 'name' in cell
    ? { name: middleCut(cell.name, LONGEST_ACROSS) }
    : cell;
}

/** Whether the numbers can be trusted and why, and what to know before they are used. */
function trustSection({ trust: { answer, reasons }, findings, isInVerdict }: Told): Markup {
  const items = findingItems(findings.slice(0, MOST_FINDINGS), shortNamed);
  return html`<section aria-labelledby="trust">
<h2 id="trust">Can these numbers be trusted?</h2>
<p class="lead"><b>${ANSWER_WORDS[answer]}.</b> ${isInVerdict ? 'The verdict says why. ' : null}${running(reasons.slice(0, MOST_REASONS), shortNamed)}</p>
${leftOut(reasons.length - MOST_REASONS, ['reason', 'reasons'])}${
  items.length === 0
    ? null
    : html`<h3>Before you use these numbers</h3>
<ul class="findings">
${items}</ul>
${leftOut(findings.length - MOST_FINDINGS, ['caution or note', 'cautions and notes'])}`
}</section>
`;
}

/** What did not fit; nothing where all did. */
export function moreSection({ verdicts, trust, findings }: Told): Markup | null {
  const reasons = trust.reasons.slice(MOST_REASONS);
  const pairs = verdicts.slice(MOST_VERDICTS);
  const items = findingItems(findings.slice(MOST_FINDINGS));
  if (pairs.length + reasons.length + items.length === 0) return null;
  return html`<section aria-labelledby="more">
<h2 id="more">Further pairs, reasons, cautions and notes</h2>
${sentences(pairs)}${reasons.length === 0 ? null : html`<p class="lead">${running(reasons)}</p>`}${
  items.length === 0
    ? null
    : html`<ul class="findings">
${items}</ul>
`
}</section>
`;
}

function running(findings: readonly Finding[], nameOf = named): Markup[] {
  return findings.map((finding) => html`${findingMarkup(finding, nameOf)} `);
}

function sentences(verdicts: readonly Finding[], nameOf = named): Markup[] {
  return verdicts.map(
    (verdict) => html`<p class="lead">${findingMarkup(verdict, nameOf)}</p>
`,
  );
}

function leftOut(
  count: number,
  [one, many]: readonly [string, string],
  place = 'more',
): Markup | null {
  if (count <= 0) return null;
  return html`<p class="lead"><a href="#${place}">${count} more ${count === 1 ? one : many} below</a></p>
`;
}
