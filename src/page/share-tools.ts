import { instant } from '../rows/times.js';
import { palette } from './charts/colours.js';
import { type Choice, writeChoice } from './choice.js';
import { make, setText } from './element.js';
import type { View } from './view.js';

/** Texts that are added to a picture of charts. */
interface PictureWords {
  readonly title: string;
  readonly note: string;
  /** Source and time of the picture. */
  readonly head: string;
  /** Most important caution on the numbers; empty if there is none. */
  readonly caution: string;
}

const SCALE = 2;
const MARGIN = 20;
const LINE = 19;
const FONT = 'system-ui, sans-serif';

/** Image of a chart, with its position in the box of its panel and its size, CSS px. */
interface Drawn {
  readonly image: CanvasImageSource;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly caption: string;
}

/**
 * Create a PNG of the charts in a box, with all texts that are needed to understand it without the
 * page.
 *
 * @throws Error if the browser cannot draw it.
 */
async function pictureOf(box: HTMLElement, words: PictureWords): Promise<Blob> {
  const charts = await Promise.all(chartsOf(box).map((own) => drawn(own, box)));
  const width = box.clientWidth;
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  const room = width - 2 * MARGIN;
  const lines = (text: string, font: string) => wrapped(pen, text, font, room);
  const texts = [
    ...lines(words.title, `600 17px ${FONT}`),
    ...lines(words.head, `13px ${FONT}`),
    ...(words.caution === '' ? [] : lines(`⚠ ${words.caution}`, `600 13px ${FONT}`)),
    ...lines(words.note, `13px ${FONT}`),
    ...lines(keyOf(box), `13px ${FONT}`),
  ];
  const top = MARGIN + texts.length * LINE + 12;
  const first = Math.min(...charts.map(({ y }) => y));
  const last = Math.max(...charts.map(({ y, height }) => y + height));
  canvas.width = width * SCALE;
  canvas.height = (top + last - first + MARGIN) * SCALE;
  pen.scale(SCALE, SCALE);
  const { ground, ink } = palette();
  pen.fillStyle = ground;
  pen.fillRect(0, 0, width, canvas.height);
  pen.fillStyle = ink;
  texts.forEach(({ text, font }, n) => {
    pen.font = font;
    pen.fillText(text, MARGIN, MARGIN + n * LINE + 13);
  });
  for (const { image, x, y, width: wide, height, caption } of charts) {
    pen.drawImage(image, x, top + y - first, wide, height);
    pen.font = `12px ${FONT}`;
    if (caption !== '') {
      pen.fillText(caption, x, top + y - first - 4);
    }
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) {
        reject(new Error('the browser could not create the picture'));
      } else {
        resolve(blob);
      }
    }, 'image/png');
  });
}

function chartsOf(box: HTMLElement): (HTMLCanvasElement | SVGSVGElement)[] {
  return [...box.querySelectorAll<HTMLCanvasElement | SVGSVGElement>('.uplot canvas, svg')];
}

async function drawn(own: HTMLCanvasElement | SVGSVGElement, box: HTMLElement): Promise<Drawn> {
  const place = own.getBoundingClientRect();
  const { left, top } = box.getBoundingClientRect();
  const figure = own.closest('figure')?.querySelector('figcaption');
  return {
    image: own instanceof SVGSVGElement ? await imageOf(own, place) : own,
    x: place.left - left,
    y: place.top - top,
    width: place.width,
    height: place.height,
    caption: figure?.textContent ?? '',
  };
}

/** Style properties that are copied into the picture, which has no style sheet. */
const STYLED = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
  'text-anchor',
];

async function imageOf(own: SVGSVGElement, { width, height }: DOMRect): Promise<HTMLImageElement> {
  const copy = own.cloneNode(true) as SVGSVGElement;
  const [from, to] = [own, copy].map((svg) => [svg, ...svg.querySelectorAll('*')]);
  from!.forEach((element, n) => {
    const style = getComputedStyle(element);
    for (const name of STYLED) {
      (to![n] as SVGElement).style.setProperty(name, style.getPropertyValue(name));
    }
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return image;
}

/** Write the legend of the markers as text. */
function keyOf(box: HTMLElement): string {
  const key = box.querySelector<HTMLElement>('.key');
  if (key === null) return '';
  const [naive = '', corrected = ''] = (key.innerText ?? '').trim().split(/\s+/);
  return `○ ${naive}  ● ${corrected}`;
}

interface TextLine {
  readonly text: string;
  readonly font: string;
}

function wrapped(
  pen: CanvasRenderingContext2D,
  text: string,
  font: string,
  room: number,
): TextLine[] {
  if (text === '') return [];
  pen.font = font;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= room || lines.at(-1) === '') {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(word);
    }
  }
  return lines.map((own) => ({
    text: own,
    font,
  }));
}

const MINUTE = 60_000;

/** Address of a panel in its current state, with all defaults resolved. */
function linkTo({ tick, choice, estimator, since, until }: View, name: string): string {
  const { window, metric, k, aggregation } = tick.chosen;
  const from = Math.max(0, Math.floor(since / MINUTE) * MINUTE);
  const to = Math.max(from + MINUTE, Math.ceil(Math.min(until, tick.paneEnd) / MINUTE) * MINUTE);
  const resolved: Choice = {
    ...choice,
    window,
    metric,
    k: String(k ?? 'none'),
    aggregation,
    estimator,
    span: 'own',
    from: minuteAt(from),
    to: minuteAt(to),
  };
  return `${location.origin}${location.pathname}${writeChoice(resolved)}#panel-${name}`;
}

function minuteAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** Time for which the confirmation of a button is shown, ms. */
const SAID_MS = 2500;

/**
 * Add buttons to a box that copy its link and, if it has a chart, save a picture of it.
 *
 * @returns function that updates the buttons with each view
 */
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
  let shown:
    | {
        view: View;
        title: string;
        note: string;
      }
    | undefined;
  /** Set the visible text of the link. The accessible label of the link starts with that text. */
  const call = (text: string) => {
    setText(link, text);
    link.setAttribute('aria-label', shown === undefined ? text : `${text}, ${shown.title}`);
  };
  const say = (text: string) => {
    setText(said, text);
    setTimeout(() => setText(said, ''), SAID_MS);
  };
  link.addEventListener('click', (event) => {
    // Without a clipboard, as over plain HTTP, the link is followed, so the address bar has it.
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
    const words = {
      title,
      note,
      head: headOf(view),
      caution: cautionOf(view),
    };
    pictureOf(box, words).then(
      (blob) => save(blob, fileName(view, name)),
      (error: Error) => say(`No picture: ${error.message}`),
    );
  });
  return (view, title, note) => {
    shown = {
      view,
      title,
      note,
    };
    const address = linkTo(view, name);
    if (link.href !== address) {
      link.href = address;
    }
    picture.hidden = box.querySelector('.uplot canvas, svg') === null;
    call(link.textContent);
    picture.setAttribute('aria-label', `PNG, ${title}`);
  };
}

/** First line of a picture: environment, time, window and aggregation. */
function headOf({ tick, environment }: View): string {
  const { window, aggregation } = tick.chosen;
  const parts = [environment ?? '', `${instant(tick.paneEnd)}`, `window ${window}`, aggregation];
  return ['unskew', ...parts].filter((part) => part !== '').join(' · ');
}

/** Text of the most important caution on the numbers; empty if there is none. */
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
