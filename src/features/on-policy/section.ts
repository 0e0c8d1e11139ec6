import { html, type Markup, named } from '../../outputs/report/markup.js';
import { table } from '../../outputs/report/table.js';
import { decimal, whole } from '../../rows/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';

const HEAD = ['model', 'reward of a list', 'std. error', '95 % interval', 'lists', 'users'];

/** What shown lists are worth; null where that is not known, or not asked for. */
export function onPolicySection({ onPolicy }: WindowSnapshot): Markup | null {
  const values = onPolicy?.values ?? [];
  if (values.length === 0) return null;
  const rows = values.map(({ model, value, stdErr, lower, upper, counts }) => ({
    heading: html`${named(model)}`,
    cells: [
      html`<b>${decimal(value, 4)}</b>`,
      decimal(stdErr, 4),
      Number.isNaN(lower) ? '–' : `${decimal(lower, 4)} to ${decimal(upper, 4)}`,
      whole(counts.lists),
      whole(counts.users),
    ],
  }));
  return html`<section aria-labelledby="on-policy">
<h2 id="on-policy">What shown lists are worth</h2>
<p class="lead">The mean reward of a list of the models that were shown, by the interactions that name the list. It needs no correction for popularity, and says nothing about models that were shown to nobody.</p>
${table('What shown lists are worth', HEAD, rows)}</section>
`;
}
