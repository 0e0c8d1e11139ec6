import { palette } from './charts/colours.js';

/** What stands around the charts of a picture. */
export interface PictureWords {
  readonly title: string;
  readonly note: string;
  /** Where and when. */
  readonly head: string;
  /** Empty for none. */
  readonly caution: string;
}

const SCALE = 2;
const MARGIN = 20;
const LINE = 19;
const FONT = 'system-ui, sans-serif';

/** A drawing of a chart, and its place in its box, CSS px. */
interface Drawn {
  readonly image: CanvasImageSource;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly caption: string;
}

/**
 * The charts of a box as a PNG, with all that is needed to read them where nothing else is said.
 *
 * @throws Error where the browser cannot draw them.
 */
export async function pictureOf(box: HTMLElement, words: PictureWords): Promise<Blob> {
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
    if (caption !== '') pen.fillText(caption, x, top + y - first - 4);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('the browser drew nothing'));
      else resolve(blob);
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
    ...{ x: place.left - left, y: place.top - top, width: place.width, height: place.height },
    caption: figure?.textContent ?? '',
  };
}

/** What style sheets say of a drawing, and a picture of it would not know. */
const STYLED = [
  ...['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity'],
  ...['font-size', 'font-weight', 'font-family', 'text-anchor'],
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

/** What its marks stand for. */
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
    } else lines.push(word);
  }
  return lines.map((own) => ({ text: own, font }));
}
