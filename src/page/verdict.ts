import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { closingWords, MOST_CAUTIONS } from '../outputs/opening/opening.js';
import { whole } from '../rows/figures.js';
import type { Sentence } from '../rows/findings/sentence.js';
import { byId, make, setText, spoken } from './element.js';
import { MARK_WORDS } from './mark-list.js';
import { verdictOf } from './said.js';
import { isCatchingUp } from './standings.js';
import type { View } from './view.js';

/** Show the verdict, its evidence, the cautions, and links to details. */
export function showVerdict(view: View): void {
  const box = byId('verdict');
  const { tick } = view;
  const { tone, held } = verdictOf(tick, view.states);
  const { headline, earlier, grounds, others } = tick.opening;
  box.dataset['tone'] = tone;
  const cause = earlier === null ? undefined : causeOf(view);
  const sentence = cause === undefined ? headline : [...headline, cause];
  box.querySelector('.sentence')!.replaceChildren(...inTwo(sentence));
  const before = box.querySelector<HTMLElement>('.earlier')!;
  before.hidden = earlier === null;
  before.replaceChildren('Before: ', ...spoken(earlier ?? []));
  box.querySelector('.basis')!.replaceChildren(...spoken(grounds), ' ', whyLink(view));
  const reason = box.querySelector<HTMLElement>('.held')!;
  reason.hidden = held === undefined;
  setText(reason, held ?? '');
  showOthers(box.querySelector('details')!, others);
  // While the service is catching up and has no numbers, there is nothing to be cautious about.
  const isEarly = isCatchingUp(view);
  byId('cautions').hidden = isEarly || tick.opening.cautions.length === 0;
  byId('closing').hidden = isEarly;
  showCautions(tick.opening);
}

/**
 * Split a sentence after its first colon. The part after the colon has the figures and is shown
 * smaller.
 */
function inTwo(sentence: Sentence): Node[] {
  const at = sentence.findIndex((part) => typeof part === 'string' && part.includes(': '));
  if (at < 0) return [make('span', 'said', ...spoken(sentence))];
  const part = sentence[at] as string;
  const cut = part.indexOf(': ') + 1;
  return [
    make('span', 'said', ...spoken([...sentence.slice(0, at), part.slice(0, cut)])),
    make('span', 'figures', ...spoken([part.slice(cut), ...sentence.slice(at + 1)])),
  ];
}

/**
 * Describe the newest mark within the longest window, which may explain a change; undefined without
 * one.
 */
function causeOf({ tick, happenings }: View): string | undefined {
  const changed = tick.verdictBasis?.changed;
  const since = tick.paneEnd - tick.longestWindowMs;
  const [mark] = happenings
    .filter(({ time, model }) => time >= since && (model === undefined || model === changed))
    .sort((a, b) => b.time - a.time);
  return (
    mark && ` The change came after the ${MARK_WORDS[mark.kind].toLowerCase()} “${mark.text}”.`
  );
}

function whyLink({ tick, choose }: View): HTMLElement {
  const [model = '', against = ''] = tick.verdict?.[0]?.subject.models ?? [];
  const why = make('a', 'why', 'Why: items and users responsible');
  why.id = 'why-better';
  why.href = '#panel-why';
  why.hidden = model === '' || against === '';
  why.addEventListener('click', () =>
    choose({
      why: model,
      against,
    }),
  );
  return why;
}

function showOthers(details: HTMLDetailsElement, others: readonly Sentence[]): void {
  details.hidden = others.length === 0;
  const pairs = others.length === 1 ? 'pair' : 'pairs';
  setText(details.querySelector('summary')!, `Verdicts on ${whole(others.length)} more ${pairs}`);
  const lines = others.map((each) => make('li', '', ...spoken(each)));
  details.querySelector('ul')!.replaceChildren(...lines);
}

/** Show the first cautions, and a link to all of them. */
function showCautions(opening: LiveTick['opening']): void {
  const shown = opening.cautions.slice(0, MOST_CAUTIONS);
  const lines = shown.map(({ code, words }) => {
    const line = make('li', '', ...spoken(words), ' ', make('code', '', code));
    line.dataset['code'] = code;
    return line;
  });
  byId('cautions').replaceChildren(...lines);
  const test = opening.splitFlag === null ? '' : ' (set experiment.split to test it)';
  const end = opening.split === null ? '' : '.';
  byId('closing').replaceChildren(...spoken(closingWords(opening, shown.length)), test, end);
}
