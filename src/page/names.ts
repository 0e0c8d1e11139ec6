import { withoutTurns } from '../rows/findings/sentence.js';
import { toldApart } from '../rows/words.js';
import { make } from './element.js';

/** Maximum length of a name in a line, characters. */
const LONGEST = 30;

/**
 * Create an element for a name among others. A long name is shortened to the parts that distinguish
 * it; its tooltip has the whole name.
 */
export function modelName(name: string, among: readonly string[], most = LONGEST): HTMLElement {
  const shown = toldApart(name, among, most);
  const node = make('bdi', '', withoutTurns(shown));
  if (shown !== name) {
    node.title = withoutTurns(name);
  }
  return node;
}
