import type { WordedState } from '../../../findings/state/state.js';
import type { Logger } from '../../cli/io.js';
import { keyOf } from './state-book.js';

/** A state that passes sooner, as those of a start do, is not worth a line. */
const LASTING_MS = 5000;

/** Logs each state once it lasts, and once it is over. */
export class StateLog {
  readonly #log: Logger;
  readonly #seen = new Map<
    string,
    { readonly state: WordedState; at: number; isLogged: boolean }
  >();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param now any clock that runs evenly, ms */
  look(states: readonly WordedState[], now: number): void {
    const holding = new Set(states.map(keyOf));
    for (const [key, { state, isLogged }] of this.#seen) {
      if (holding.has(key)) continue;
      this.#seen.delete(key);
      if (isLogged) this.#log.info({ state: state.code, ...state.subject }, `over: ${state.label}`);
    }
    for (const state of states) {
      const seen = this.#seen.get(keyOf(state)) ?? { state, at: now, isLogged: false };
      this.#seen.set(keyOf(state), seen);
      if (seen.isLogged || now - seen.at < LASTING_MS) continue;
      seen.isLogged = true;
      const level = state.severity === 'note' ? 'info' : 'warn';
      this.#log[level]({ state: state.code, ...state.subject }, `${state.text} ${state.remedy}`);
    }
  }
}
