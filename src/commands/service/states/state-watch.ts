import { interval } from 'rxjs';
import type { DeepReadonly } from '../../../adapters/http/deep-readonly.js';
import type { LiveState } from '../../../adapters/http/schema/state/live-state.js';
import type { WordedState } from '../../../findings/state/state.js';
import type { Logger } from '../../cli/io.js';
import type { KnownFacts } from './service-facts.js';
import { StateBook } from './state-book.js';
import { StateLog } from './state-log.js';

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
  get live(): DeepReadonly<LiveState> {
    const facts = this.#facts();
    const { snapshot, topics } = facts;
    return {
      states: this.#book.look(facts),
      ...(this.#environment !== undefined && { environment: this.#environment }),
      arrivals: snapshot === undefined ? topics : null,
    };
  }

  /** @returns what ends it */
  start(publish: (state: DeepReadonly<LiveState>) => void): () => Promise<void> {
    const looking = interval(EVERY_MS).subscribe(() => {
      const { live } = this;
      this.#log.look(live.states as readonly WordedState[], performance.now());
      publish(live);
    });
    return async () => looking.unsubscribe();
  }
}
