import { sheetSectionsOf } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import type { Finding } from '../../rows/findings/finding.js';
import { ANSWER_WORDS } from '../../rows/findings/reasons.js';
import { leadingMeasure, type Trust } from '../../rows/findings/window-trust.js';
import type { ShownRow } from '../../rows/row.js';
import { type Cell, names, numbers, type Table } from '../../rows/table.js';
import { metricName, middleCut } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { closingWords, MOST_CAUTIONS, type Opening, shownRows } from '../opening/opening.js';
import { findingItems, findingMarkup } from './findings-section.js';
import { html, type Markup, sentence, shortNamed } from './markup.js';
import { tableMarkup } from './section.js';
import { standingSection } from './standing.js';

/** Verdicts, trust and findings for the section after the first page. */
export interface Told {
  readonly verdicts: readonly Finding[];
  readonly trust: Trust;
  readonly findings: readonly Finding[];
}

/**
 * Maximum number of rows in a table of segments. `MOST_MODELS_ACROSS` is the maximum number of
 * models side by side, and `LONGEST_ACROSS` the maximum length of their names, characters.
 */
const MOST_VALUES = 5;
const MOST_MODELS_ACROSS = 5;
const LONGEST_ACROSS = 16;

/**
 * Render the first page: verdict, evidence, table of models and cautions, as on the command line;
 * then a chart of the models, and the segments in which they win and lose.
 */
export function firstPage(snapshot: Snapshot, window: WindowSnapshot, opening: Opening): Markup {
  return html`<div class="first">
${openingSection(opening)}${standingSection(snapshot, window)}${winsSection(snapshot, window)}</div>
`;
}

function openingSection(opening: Opening): Markup {
  const { headline, earlier, grounds, rows, columns, cautions } = opening;
  const shown = shownRows(rows);
  const said = cautions.slice(0, MOST_CAUTIONS);
  const rest = rows.length - shown.length;
  const table: Table = {
    name: 'models',
    title: 'Models',
    columns: [...names('model'), ...numbers(...columns)],
    lines: shown.map(({ model, cells }) => [{ name: middleCut(model, LONGEST) }, ...cells]),
  };
  return html`<section aria-labelledby="verdict">
<h2 id="verdict">Which model is better?</h2>
<p class="verdict">${sentence(headline, shortNamed)}</p>
${
  earlier === null
    ? null
    : html`<p class="lead"><small>Before: ${sentence(earlier, shortNamed)}</small></p>
`
}<p class="lead">${sentence(grounds, shortNamed)}</p>
${shown.length === 0 ? null : tableMarkup(table)}${leftOut(rest, ['model', 'models'])}${
  said.length === 0
    ? null
    : html`<ul class="findings">
${said.map(
  ({
    code,
    words,
  }) => html`<li class="caution"><b>Caution</b> <span>${sentence(words, shortNamed)} <code>${code}</code></span></li>
`,
)}</ul>
`
}<p class="lead">${sentence(closingWords(opening, said.length))}${opening.split === null ? '' : '.'} Details below.</p>
</section>
`;
}

/** Maximum length of a model name in the table, characters. */
const LONGEST = 26;

/**
 * Render where models win and lose on the measure of the verdict. From the section of each feature,
 * this takes the first table, shortened and without intervals. Null without such tables.
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

/**
 * Render the section on trust and its reasons, with the verdicts on further pairs and all findings.
 */
export function moreSection({ verdicts, trust: { answer, reasons }, findings }: Told): Markup {
  const items = findingItems(findings);
  return html`<section aria-labelledby="more">
<h2 id="more">Can these numbers be trusted?</h2>
<p class="lead"><b>${ANSWER_WORDS[answer]}.</b> ${running(reasons)}</p>
${sentences(verdicts.slice(1))}${
  items.length === 0
    ? null
    : html`<ul class="findings">
${items}</ul>
`
}</section>
`;
}

function running(findings: readonly Finding[]): Markup[] {
  return findings.map((finding) => html`${findingMarkup(finding)} `);
}

function sentences(verdicts: readonly Finding[]): Markup[] {
  return verdicts.map(
    (verdict) => html`<p class="lead">${findingMarkup(verdict)}</p>
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
