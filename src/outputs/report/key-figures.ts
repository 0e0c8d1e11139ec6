import { decimal, percent, whole } from '../../rows/figures.js';
import { day, span } from '../../rows/times.js';
import { GAMMA_SOURCE_WORDS } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { html, type Markup } from './markup.js';

/** Render the key figures of the evaluated data: period, counts, γ and concentration. */
export function keyFigures({ propensity, popularity }: Snapshot, window: WindowSnapshot): Markup {
  const { counts, from, to } = window;
  return figureList([
    ['period', from === to ? '–' : day(from), span(from, to)],
    ['positive pairs', whole(counts.positives), `of ${whole(counts.interactions)} pairs`],
    ['users', whole(counts.users), `${whole(counts.items)} items`],
    [
      'γ',
      decimal(propensity.gamma, 3),
      `${GAMMA_SOURCE_WORDS[propensity.source]}; β = ${decimal(propensity.beta, 3)}`,
    ],
    [
      'popularity',
      `Gini ${decimal(popularity.interactions.gini, 3)}`,
      `coverage ${percent(popularity.interactions.coverage)}`,
    ],
  ]);
}

/** Render a list of figures, each with its name, value and a small note. */
export function figureList(figures: readonly (readonly string[])[]): Markup {
  return html`<dl class="figures">${figures.map(
    ([name, value, note]) =>
      html`<div><dt>${name!}</dt><dd>${value!}<small>${note!}</small></dd></div>`,
  )}</dl>
`;
}
