import { withoutTurns } from '../rows/findings/sentence.js';
import { toldApart } from '../rows/words.js';
import { make } from './element.js';

/** Signs of a name that have room in a line. */
const LONGEST = 30;

/** A name as it stands among others: long ones keep what tells them apart, and all of it is in the title. */
export function modelName(name: string, among: readonly string[], most = LONGEST): HTMLElement {
  const shown = toldApart(name, among, most);
  const node = make('bdi', '', withoutTurns(shown));
  if (shown !== name) {
    node.title = withoutTurns(name);
  }
  return node;
}
