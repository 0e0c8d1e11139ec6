import type uPlot from 'uplot';
import { isHappening, type Mark } from './charts/mark.js';
import { make } from './element.js';

/** Says beside a line what happened there, while the pointer or the cursor of the keys is at it. */
export class MarkLabel {
  readonly #node = make('p', 'mark-label');

  /** A plot that is made again takes it along. */
  placeIn({ over }: uPlot): void {
    this.#node.hidden = true;
    over.append(this.#node);
  }

  /** @param marks at the cursor */
  show(plot: uPlot, marks: readonly Mark[]): void {
    const happened = marks.filter(isHappening);
    this.#node.hidden = happened.length === 0;
    const [first] = happened;
    if (first === undefined) return;
    const text = happened.map((mark) => mark.text).join(' · ');
    if (this.#node.textContent !== text) this.#node.textContent = text;
    const left = plot.valToPos(first.at / 1000, 'x');
    // To the side on which there is more room.
    const isRight = left < plot.over.clientWidth / 2;
    Object.assign(this.#node.style, {
      left: isRight ? `${left + 4}px` : '',
      right: isRight ? '' : `${plot.over.clientWidth - left + 4}px`,
    });
  }

  hide(): void {
    this.#node.hidden = true;
  }
}
