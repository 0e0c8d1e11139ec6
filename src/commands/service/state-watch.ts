import { interval } from 'rxjs';
import type { LiveState } from '../../outputs/http/schema/live-state.js';
import type { WordedState } from '../../rows/findings/state.js';
import type { Logger } from '../cli/io.js';
import type { KnownFacts } from './service-facts.js';
import { keyOf, StateBook } from './state-book.js';

/** A state that passes sooner, as those of a start do, is not worth a line. */
const LASTING_MS = 5000;

/** Logs each state once it lasts, and once it is over. */
class StateLog {
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

/** As soon as people notice. */
const EVERY_MS = 1000;

/** Looks at the states again and again, for the log and the readers of the stream. */
export class StateWatch {
  readonly #facts: () => KnownFacts;
  readonly #book = new StateBook();
  readonly #log: StateLog;
  readonly #environment: string | undefined;

  /** @param environment name of what is measured */
  constructor(facts: () => KnownFacts, log: Logger, environment?: string) {
    this.#facts = facts;
    this.#environment = environment;
    this.#log = new StateLog(log);
  }

  /** Those that hold now, the most urgent first. */
  get states(): readonly WordedState[] {
    return this.#book.look(this.#facts());
  }

  /** As readers of the stream have it: until there are numbers, with what has come so far. */
  get live(): LiveState {
    const facts = this.#facts();
    const { snapshot, topics } = facts;
    return {
      states: this.#book.look(facts),
      ...(this.#environment !== undefined && { environment: this.#environment }),
      arrivals: snapshot === undefined ? topics : null,
    };
  }

  /** @returns what ends it */
  start(publish: (state: LiveState) => void): () => Promise<void> {
    const looking = interval(EVERY_MS).subscribe(() => {
      const { live } = this;
      this.#log.look(live.states as readonly WordedState[], performance.now());
      publish(live);
    });
    return async () => looking.unsubscribe();
  }
}
