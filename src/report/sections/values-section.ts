import type { ValueRow } from '../../estimators/value/window/value-row.js';
import { decimal, percent, whole } from '../../figures/figures.js';
import {
  VALUE_STANDINGS,
  valueStanding,
  writtenValue,
} from '../../findings/value/value-standing.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named } from '../markup.js';
import { table } from '../table.js';

const HEAD = [
  ...['model', 'form', 'reward of a request', 'std. error', '95 % interval'],
  ...['covered', 'requests', 'use it'],
];

/** What lists are worth by requests; null where exposures do not name theirs. */
export function valuesSection({ values = [] }: WindowSnapshot): Markup | null {
  if (values.length === 0) return null;
  return html`<section aria-labelledby="values">
<h2 id="values">What lists are worth by requests</h2>
<p class="lead">What a request would earn if the model’s list were served, also of models that were shown to nobody, as far as the lists that were shown hold their items. Read <code>arms_snips</code> first; <code>on_policy</code> rests on the requests that were served the model’s own list.</p>
${table('What lists are worth by requests', HEAD, values.map(rowOf))}</section>
`;
}

function rowOf(row: ValueRow) {
  const { model, estimator, stdErr, coverage, requests } = row;
  const known = (number: number, text: string) => (Number.isNaN(number) ? '–' : text);
  const [value, interval] = writtenValue(row);
  return {
    heading: html`${named(model)}`,
    cells: [
      ...[estimator, html`<b>${value}</b>`, known(stdErr, decimal(stdErr, 4)), interval],
      ...[known(coverage, percent(coverage)), whole(requests), VALUE_STANDINGS[valueStanding(row)]],
    ],
  };
}
