import { UNCORRECTED } from '../../../estimators/names.js';
import { askJson, Refused } from '../../../page/api.js';
import { make, setText } from '../../../page/element.js';
import { itemLink } from '../../../page/item-link.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import { tableOf } from '../../../page/panels/table.js';
import { shownModels, type View } from '../../../page/view.js';
import { comparedModels } from '../../../rows/findings/rankings.js';
import { metricName } from '../../../rows/words.js';
import { GROUP_TITLES, gapInShort } from '../gap-words.js';
import type { GapAnswer, GapOrReason } from '../schema.js';
import { groupTable as gapGroups, itemTable as gapItems } from '../section.js';

/**
 * Panel that shows which items and groups of users contribute to a gap between two estimates, and
 * how much.
 */
export const WHY: Panel = {
  name: 'why',
  width: 12,
  title: 'Why: where the gap comes from',
  note: ({ tick: { chosen }, estimator }) =>
    `${metricName(chosen)}. Shows how much each item and each group of users contributes to the gap between two estimates. The contributions sum to the gap. Uncorrected is ${UNCORRECTED}; corrected is ${estimator}.`,
  mount(box) {
    const model = select('why-model', 'Model');
    const against = select('why-against', 'Compared with');
    const pick = make('div', 'picks', model.label, against.label);
    const sentence = make('p', 'sentence');
    sentence.id = 'why-sentence';
    box.append(pick, sentence);
    const items = scrollBox(box, 'why-items', 'Items behind the gap');
    const groups = make('div', 'columns');
    groups.id = 'why-groups';
    box.append(groups);
    const asking = new Asking((answer) => {
      setText(sentence, typeof answer === 'string' ? answer : gapInShort(answer));
      items.hidden = typeof answer === 'string';
      groups.hidden = items.hidden;
      if (typeof answer === 'string') return;
      items.replaceChildren(itemTable(answer));
      groups.replaceChildren(...answer.groups.map((own) => groupTable(answer, own)));
    });
    let view: View | undefined;
    model.select.addEventListener('change', () => view?.choose({ why: model.select.value }));
    against.select.addEventListener('change', () =>
      view?.choose({
        why: model.select.value,
        against: against.select.value,
      }),
    );
    // Request the answer only while the panel is visible.
    const follow = () => view && asking.follow(view);
    const seen = new IntersectionObserver(
      (entries) => {
        asking.isSeen = entries.at(-1)?.isIntersecting ?? true;
        follow();
      },
      { rootMargin: '50%' },
    );
    seen.observe(box);
    return (shown) => {
      view = shown;
      const asked = askedGap(shown);
      if (asked !== undefined) {
        fill(model.select, against.select, shown, asked);
      }
      follow();
    };
  },
};

/**
 * Requests the decomposition of the chosen gap once per pane and choice, while the panel is
 * visible.
 */
class Asking {
  isSeen = false;
  readonly #show: (answer: GapAnswer | string) => void;
  #asked = '';
  #stop: AbortController | undefined;

  constructor(show: (answer: GapAnswer | string) => void) {
    this.#show = show;
  }

  follow(view: View): void {
    if (!this.isSeen) return;
    const asked = askedGap(view);
    const query = asked && gapQuery(view, asked);
    if (query === undefined) {
      this.#asked = '';
      this.#show('Choose an estimator other than naive, or a second model, to compare.');
      return;
    }
    const key = `${query} ${view.tick.paneEnd}`;
    if (key === this.#asked) return;
    this.#asked = key;
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    askJson<GapOrReason>(`/api/v1/why?${query}`, stop.signal).then(
      (answer) => this.#show('reason' in answer ? `Not known: ${answer.reason}.` : answer),
      (error: Error) => {
        if (stop.signal.aborted) return;
        this.#show(
          `Not available now: ${error instanceof Refused ? error.detail : error.message}.`,
        );
      },
    );
  }
}

function select(id: string, text: string) {
  const own = make('select');
  own.id = id;
  return {
    select: own,
    label: make('label', '', text, own),
  };
}

function fill(
  model: HTMLSelectElement,
  against: HTMLSelectElement,
  { tick: { models }, estimator }: View,
  asked: AskedGap,
): void {
  const key = JSON.stringify([models, estimator, asked]);
  if (model.dataset['shown'] === key) return;
  model.dataset['shown'] = key;
  model.replaceChildren(...models.map((name) => new Option(name, name)));
  model.value = asked.model;
  const others = models.filter((name) => name !== asked.model);
  against.replaceChildren(
    new Option('itself, uncorrected', ''),
    ...others.map((name) => new Option(`${name}, by ${estimator}`, name)),
  );
  against.value = asked.against;
}

function itemTable(answer: GapAnswer): HTMLTableElement {
  const table = tableOf(gapItems(answer));
  const { rows } = table.tBodies[0]!;
  for (const [n, { item }] of answer.items.entries()) {
    rows[n]!.cells[0]!.replaceChildren(itemLink(item));
  }
  return table;
}

function groupTable(answer: GapAnswer, own: GapAnswer['groups'][number]): HTMLElement {
  const [title] = GROUP_TITLES[own.by];
  const box = scrollBox(make('div'), `why-${own.by}`, title);
  box.append(make('h3', '', title), tableOf(gapGroups(answer, own)));
  return box;
}

/** The gap to explain. */
interface AskedGap {
  readonly model: string;
  /** The second model; empty for the model's own uncorrected value. */
  readonly against: string;
}

/** The chosen gap if its model exists, otherwise that of the model with the largest correction. */
function askedGap(view: View): AskedGap | undefined {
  const { tick, choice, estimator } = view;
  const models = shownModels(view);
  const against = tick.models.includes(choice.against) ? choice.against : '';
  if (tick.models.includes(choice.why)) {
    return {
      model: choice.why,
      against: against === choice.why ? '' : against,
    };
  }
  const moved = comparedModels(tick.window.estimates, models, estimator).sort(
    (a, b) => Math.abs(b.share) - Math.abs(a.share),
  );
  const model = moved[0]?.model ?? models[0];
  if (model === undefined) return undefined;
  return {
    model,
    against: against === model ? '' : against,
  };
}

/** Query of the API request; undefined if there is nothing to compare. */
function gapQuery(
  { tick: { chosen }, estimator }: Pick<View, 'tick' | 'estimator'>,
  { model, against }: AskedGap,
): string | undefined {
  if (estimator === UNCORRECTED && against === '') return undefined;
  const { window, metric, k, aggregation } = chosen;
  const query = new URLSearchParams({
    window,
    metric,
    k: String(k ?? 'none'),
    aggregation,
  });
  query.set('model', model);
  query.set('estimator', estimator);
  if (against !== '') {
    query.set('against', against);
  }
  return query.toString();
}
