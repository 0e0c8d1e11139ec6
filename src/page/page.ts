import { whole } from '../rows/figures.js';
import { duration, instant } from '../rows/times.js';
import {
  type Answer,
  betterAnswer,
  flatteredAnswer,
  growthAnswer,
  trustAnswer,
} from './answers.js';
import { byId, make, setText, spoken } from './element.js';
import { mountPanel, type Panel } from './panels/panel.js';
import type { View } from './view.js';

/** Everything below the controls: four answers, and the panels in their order. */
export class Page {
  readonly #panels: ((view: View) => void)[];
  #isPlaced = false;

  constructor(panels: readonly Panel[]) {
    const grid = byId('panels');
    this.#panels = panels.map((panel) => mountPanel(grid, panel));
  }

  show(view: View): void {
    const { tick, estimator, tables, since, states } = view;
    byId('waiting').hidden = true;
    byId('content').hidden = false;
    const better = betterAnswer(tick, states);
    showAnswer('better', better);
    showWhy(better, view);
    showAnswer('growth', growthAnswer(tick, tables.popularity, since, states));
    showAnswer('flattered', flatteredAnswer(tick, estimator, states));
    showAnswer('trust', trustAnswer(tick, states));
    showNotes(view);
    for (const show of this.#panels) show(view);
    if (!this.#isPlaced) this.#place();
  }

  /** An address may lead to a panel, which is there only now. */
  #place(): void {
    this.#isPlaced = true;
    if (!location.hash.startsWith('#panel-')) return;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}

function showAnswer(id: string, { tone, word, sentence, more = [] }: Answer): void {
  const box = byId(`answer-${id}`);
  box.dataset['tone'] = tone;
  setText(box.querySelector<HTMLElement>('.word')!, word);
  box.querySelector('.sentence')!.replaceChildren(...spoken(sentence));
  const details = box.querySelector('details');
  if (details === null) return;
  details.hidden = more.length === 0;
  const reasons = more.length === 1 ? 'reason' : 'reasons';
  setText(details.querySelector('summary')!, `${whole(more.length)} more ${reasons}`);
  details.querySelector('ul')!.replaceChildren(...more.map((text) => make('li', '', text)));
}

/** The way from a verdict to what is behind it. */
function showWhy({ why }: Answer, { choose }: View): void {
  const link = byId<HTMLAnchorElement>('why-better');
  link.hidden = why === undefined;
  link.onclick = why === undefined ? null : () => choose({ why: why.model, against: why.against });
}

function showNotes({ tick: { window, paneEnd, catalogueSize } }: View): void {
  const { users, interactions } = window.counts;
  setText(byId('reached'), instant(paneEnd));
  const length = duration(window.to - window.from);
  const until = window.to < paneEnd ? ` until ${instant(window.to)}` : '';
  setText(
    byId('window-note'),
    `last ${length} of event time${until} · ${whole(interactions)} pairs of ${whole(users)} users · ${whole(catalogueSize)} items`,
  );
}
