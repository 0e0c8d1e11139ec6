import type { LiveTick } from '../../outputs/http/schema/live-tick.js';
import type { View } from '../view.js';

/** Hides a box that has nothing to show, and moves it to the front where its numbers lead. */
export function placeBox(
  box: HTMLElement,
  name: NonNullable<LiveTick['window']['leads']>,
  hasNumbers: boolean,
  { tick }: View,
): void {
  box.hidden = !hasNumbers;
  box.style.order = tick.window.leads === name ? '-1' : '';
}
