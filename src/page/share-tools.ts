import { instant } from '../rows/times.js';
import { type Choice, writeChoice } from './choice.js';
import { make, setText } from './element.js';
import { pictureOf } from './picture.js';
import type { View } from './view.js';

const MINUTE = 60_000;

/** The address that shows a panel as it is now, to anyone: nothing in it is left to a default. */
function linkTo({ tick, choice, estimator, since, until }: View, name: string): string {
  const { window, metric, k, aggregation } = tick.chosen;
  const from = Math.max(0, Math.floor(since / MINUTE) * MINUTE);
  const to = Math.max(from + MINUTE, Math.ceil(Math.min(until, tick.paneEnd) / MINUTE) * MINUTE);
  const resolved: Choice = {
    ...choice,
    ...{ window, metric, k: String(k ?? 'none'), aggregation, estimator },
    ...{ span: 'own', from: minuteAt(from), to: minuteAt(to) },
  };
  return `${location.origin}${location.pathname}${writeChoice(resolved)}#panel-${name}`;
}

function minuteAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** Long enough to be read. */
const SAID_MS = 2500;

/** A link and a picture of a box, at its head; pictures where there is a chart. */
export function shareTools(
  box: HTMLElement,
  name: string,
): (view: View, title: string, note: string) => void {
  const link = make('a', '', 'Copy link');
  const picture = make('button', '', 'PNG');
  picture.type = 'button';
  const said = make('span', 'unseen');
  said.setAttribute('role', 'status');
  const tools = make('div', 'tools', link, picture, said);
  box.append(tools);
  let shown: { view: View; title: string; note: string } | undefined;
  /** What is read out begins with what is seen. */
  const call = (text: string) => {
    setText(link, text);
    link.setAttribute('aria-label', shown === undefined ? text : `${text}, ${shown.title}`);
  };
  const say = (text: string) => {
    setText(said, text);
    setTimeout(() => setText(said, ''), SAID_MS);
  };
  link.addEventListener('click', (event) => {
    // Without a clipboard, as over plain HTTP, the address bar has the link.
    if (navigator.clipboard === undefined) return;
    event.preventDefault();
    navigator.clipboard.writeText(link.href).then(
      () => {
        call('Copied');
        say('Link copied');
        setTimeout(() => call('Copy link'), SAID_MS);
      },
      () => location.assign(link.href),
    );
  });
  picture.addEventListener('click', () => {
    if (shown === undefined) return;
    const { view, title, note } = shown;
    const words = { title, note, head: headOf(view), caution: cautionOf(view) };
    pictureOf(box, words).then(
      (blob) => save(blob, fileName(view, name)),
      (error: Error) => say(`No picture: ${error.message}`),
    );
  });
  return (view, title, note) => {
    shown = { view, title, note };
    const address = linkTo(view, name);
    if (link.href !== address) link.href = address;
    picture.hidden = box.querySelector('.uplot canvas, svg') === null;
    call(link.textContent);
    picture.setAttribute('aria-label', `PNG, ${title}`);
  };
}

/** Where and when. */
function headOf({ tick, environment }: View): string {
  const { window, aggregation } = tick.chosen;
  const parts = [environment ?? '', `${instant(tick.paneEnd)}`, `window ${window}`, aggregation];
  return ['unskew', ...parts].filter((part) => part !== '').join(' · ');
}

/** What speaks most against the numbers; empty where nothing does. */
function cautionOf({ states, tick }: View): string {
  const [state] = states.filter(({ severity }) => severity === 'problem' || severity === 'caution');
  if (state !== undefined) return `${state.label}: ${state.text}`;
  const { trust } = tick.window;
  return trust.answer === 'yes' ? '' : (trust.reasons[0]?.text ?? '');
}

function fileName({ tick, environment }: View, name: string): string {
  const { metric, k, window } = tick.chosen;
  const time = new Date(tick.paneEnd).toISOString().slice(0, 16).replaceAll(/[:T]/g, '-');
  const measured = k === null ? metric : `${metric}-${k}`;
  const parts = ['unskew', environment ?? '', name, measured, window, time];
  return `${parts
    .filter((part) => part !== '')
    .join('-')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')}.png`;
}

function save(blob: Blob, name: string): void {
  const link = make('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAID_MS);
}
