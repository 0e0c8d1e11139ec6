import { html, type Markup, named } from '../../outputs/report/markup.js';
import { table } from '../../outputs/report/table.js';
import { decimal, percent, signed, whole } from '../../rows/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueRow } from './value-row.js';
import {
  VALUE_STANDINGS,
  valueStanding,
  writtenDifference,
  writtenValue,
} from './value-standing.js';

const HEAD = [
  ...['model', 'form', 'reward of a request', 'std. error', '95 % interval'],
  ...['covered', 'requests', 'use it'],
];

const DIFFERENCE_HEAD = ['model', 'form', 'more', '95 % interval', 'proved'];

/** What lists are worth by requests; null where exposures do not name theirs. */
export function valuesSection({
  values = [],
  valueDifferences = [],
}: WindowSnapshot): Markup | null {
  if (values.length === 0) return null;
  return html`<section aria-labelledby="values">
<h2 id="values">What lists are worth by requests</h2>
<p class="lead">What a request would earn if the model’s list were served, also of models that were shown to nobody, as far as the lists that were shown hold their items. Read <code>arms_snips</code> first; <code>on_policy</code> rests on the requests that were served the model’s own list.</p>
${table('What lists are worth by requests', HEAD, values.map(rowOf))}${comparison(valueDifferences)}</section>
`;
}

function comparison(differences: readonly ValueDifferenceRow[]): Markup | null {
  const [first] = differences;
  if (first === undefined) return null;
  const { reference, referenceEstimator } = first;
  const rows = differences.map((row) => ({
    heading: html`${named(row.model)}`,
    cells: [row.estimator, signed(row.value, 4), ...writtenDifference(row)],
  }));
  return html`<h3>How much more than the lists of ${named(reference)}</h3>
<p class="lead">Each model less ${named(reference)} (<code>${referenceEstimator}</code>), over the same requests. Proved is what the two intervals show in this window; looking at window after window until something is proved proves nothing.</p>
${table(`More than ${reference}`, DIFFERENCE_HEAD, rows)}`;
}

function rowOf(row: ValueRow) {
  const { model, estimator, stdErr, more, counts } = row;
  const { coverage } = more;
  const known = (number: number, text: string) => (Number.isNaN(number) ? '–' : text);
  const [value, interval] = writtenValue(row);
  return {
    heading: html`${named(model)}`,
    cells: [
      ...[estimator, html`<b>${value}</b>`, known(stdErr, decimal(stdErr, 4)), interval],
      ...[
        known(coverage, percent(coverage)),
        whole(counts.requests),
        VALUE_STANDINGS[valueStanding(row)],
      ],
    ],
  };
}
