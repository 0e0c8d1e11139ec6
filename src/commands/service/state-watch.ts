import { interval } from 'rxjs';
import type { Config } from '../../config.js';
import { featureSettings } from '../../features/options.js';
import type { LiveState, QualityReport } from '../../outputs/http/schema/live-state.js';
import type { OutputFacts, ServiceFacts, StateSettings } from '../../rows/findings/facts.js';
import { serviceStates } from '../../rows/findings/service-states.js';
import type { State, WordedState } from '../../rows/findings/state.js';
import { wordedStates } from '../../rows/findings/state-words.js';
import type { Flow } from '../../stream/flow.js';
import type { Logger } from '../cli/io.js';
import type { LatestSnapshot } from './kept-ticks.js';
import type { QualityBook } from './quality-book.js';
import type { Readiness } from './readiness.js';
import { RecentCounts } from './recent-counts.js';
import type { ServiceIntake } from './service-intake.js';

/** Current states of the service, each with the time since which it holds. */
class StateBook {
  #since: ReadonlyMap<string, number> = new Map();

  /** Derive the states from the current facts, the most urgent first. */
  look(facts: ServiceFacts): WordedState[] {
    const states = serviceStates(facts).map((state) => ({
      ...state,
      since: state.since ?? this.#since.get(keyOf(state)) ?? facts.now,
    }));
    this.#since = new Map(states.map((state) => [keyOf(state), state.since]));
    return wordedStates(states);
  }
}

/** Key that identifies a state over time, whatever its figures are. */
function keyOf({ code, subject: { part, models, topics } }: Pick<State, 'code' | 'subject'>) {
  return JSON.stringify([code, part, models, topics]);
}

/** Duration after which a state is logged, ms. States that are normal during a start end sooner. */
const LASTING_MS = 5000;

/** Logs each state once it has lasted `LASTING_MS`, and again when it is over. */
class StateLog {
  readonly #seen = new Map<
    string,
    {
      readonly state: WordedState;
      at: number;
      isLogged: boolean;
    }
  >();

  constructor(private readonly log: Logger) {}

  /** @param now monotonic clock, ms */
  look(states: readonly WordedState[], now: number): void {
    const holding = new Set(states.map(keyOf));
    for (const [key, { state, isLogged }] of this.#seen) {
      if (holding.has(key)) continue;
      this.#seen.delete(key);
      if (isLogged) {
        this.log.info(
          {
            state: state.code,
            ...state.subject,
          },
          `no longer the case: ${state.label}`,
        );
      }
    }
    for (const state of states) {
      const seen = this.#seen.get(keyOf(state)) ?? {
        state,
        at: now,
        isLogged: false,
      };
      this.#seen.set(keyOf(state), seen);
      if (seen.isLogged || now - seen.at < LASTING_MS) continue;
      seen.isLogged = true;
      const level = state.severity === 'note' ? 'info' : 'warn';
      this.log[level](
        {
          state: state.code,
          ...state.subject,
        },
        `${state.text} ${state.remedy}`,
      );
    }
  }
}

/** Interval between checks, ms. */
const EVERY_MS = 1000;

/**
 * Determines the states of the service once a second, logs them, and publishes them to the event
 * stream of the page.
 */
export class StateWatch {
  readonly #book = new StateBook();
  readonly #log: StateLog;
  readonly #environment: string | undefined;

  /** @param environment name of the environment */
  constructor(
    private readonly facts: () => KnownFacts,
    log: Logger,
    environment?: string,
  ) {
    this.#environment = environment;
    this.#log = new StateLog(log);
  }

  get states(): readonly WordedState[] {
    return this.#book.look(this.facts());
  }

  /**
   * Current state for the event stream of the page. It includes the event counts of each topic
   * until there is a snapshot.
   */
  get live(): LiveState {
    const facts = this.facts();
    const { snapshot, topics } = facts;
    return {
      states: this.#book.look(facts),
      ...(this.#environment !== undefined && { environment: this.#environment }),
      arrivals: snapshot === undefined ? topics : null,
    };
  }

  /** Start the checks. @returns function that ends it */
  start(publish: (state: LiveState) => void): () => Promise<void> {
    const looking = interval(EVERY_MS).subscribe(() => {
      const { live } = this;
      this.#log.look(live.states as readonly WordedState[], performance.now());
      publish(live);
    });
    return async () => looking.unsubscribe();
  }
}

/** Parts of a service that provide the facts behind its states. */
export interface ServiceParts {
  readonly pipeline: Pick<Flow, 'sharing'>;
  readonly latest: Pick<LatestSnapshot, 'value'>;
  readonly quality: Pick<QualityBook, 'report'>;
  readonly readiness: Pick<Readiness, 'health' | 'checks'>;
  readonly outputs: () => readonly OutputFacts[];
  readonly intake?: Pick<ServiceIntake, 'facts'> | undefined;
}

/** Facts about a service, together with the event counts of each topic. */
export type KnownFacts = ServiceFacts & Pick<QualityReport, 'topics'>;

/** Create a function that collects the current facts behind the states. */
export function serviceFacts(
  config: Config,
  { pipeline, latest, quality, readiness, outputs, intake }: ServiceParts,
): () => KnownFacts {
  const settings = stateSettings(config);
  const counts = new RecentCounts();
  return () => {
    const checks = [...readiness.health(), ...readiness.checks()];
    const { topics } = quality.report(checks);
    const { isElsewhere = false, isApart = false, isMixed = false } = pipeline.sharing ?? {};
    const { value: snapshot } = latest;
    const now = Date.now();
    const recent = counts.of(now, topics);
    return {
      now,
      settings,
      checks,
      outputs: outputs(),
      topics,
      intake: intake?.facts,
      recent,
      snapshot,
      isElsewhere,
      isApart,
      isMixed,
    };
  };
}

/** Extract the settings that the states depend on. */
function stateSettings(config: Config): StateSettings {
  const { tickMs, latenessMs, idleMs } = config.time;
  return {
    tickMs,
    latenessMs: latenessMs + config.attribution.clockSkewMs,
    idleMs,
    horizonMs: config.popularity.horizonMs,
    ...featureSettings(config),
  };
}
