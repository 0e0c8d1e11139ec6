import type { ServiceFacts } from '../../rows/findings/facts.js';
import { serviceStates } from '../../rows/findings/service-states.js';
import type { State, WordedState } from '../../rows/findings/state.js';
import { wordedStates } from '../../rows/findings/state-words.js';

/** The states that hold, each with the moment since which it was seen to hold. */
export class StateBook {
  #since: ReadonlyMap<string, number> = new Map();

  /** Those of a moment, the most urgent first. */
  look(facts: ServiceFacts): WordedState[] {
    const states = serviceStates(facts).map((state) => ({
      ...state,
      since: state.since ?? this.#since.get(keyOf(state)) ?? facts.now,
    }));
    this.#since = new Map(states.map((state) => [keyOf(state), state.since]));
    return wordedStates(states);
  }
}

/** What makes a state the same one as before, whatever its figures. */
export function keyOf({ code, subject: { models, topics } }: Pick<State, 'code' | 'subject'>) {
  return JSON.stringify([code, models, topics]);
}
