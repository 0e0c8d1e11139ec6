import type { Config } from '../../config.js';
import type { QualityReport } from '../../outputs/http/schema/quality.js';
import type { ServiceFacts, StateSettings } from '../../rows/findings/facts.js';
import type { Pipeline } from '../../stream/pipeline.js';
import type { LatestSnapshot } from './latest-snapshot.js';
import type { QualityBook } from './quality-book.js';
import type { Readiness } from './readiness.js';

/** The parts of a service that know something of its state. */
export interface ServiceParts {
  readonly pipeline: Pick<Pipeline, 'sharing'>;
  readonly latest: Pick<LatestSnapshot, 'value'>;
  readonly quality: Pick<QualityBook, 'report'>;
  readonly readiness: Pick<Readiness, 'health' | 'checks'>;
}

/** What is known of a service, with all that is counted of its events. */
export type KnownFacts = ServiceFacts & Pick<QualityReport, 'topics'>;

/** The same, asked for at any moment. */
export function serviceFacts(
  config: Config,
  { pipeline, latest, quality, readiness }: ServiceParts,
): () => KnownFacts {
  const settings = stateSettings(config);
  return () => {
    const checks = [...readiness.health(), ...readiness.checks()];
    const { topics } = quality.report(checks);
    const isElsewhere = pipeline.sharing?.evaluates === false;
    return { now: Date.now(), settings, checks, topics, snapshot: latest.value, isElsewhere };
  };
}

/** The settings that states go by, out of the configuration. */
function stateSettings({ time, popularity, drift }: Config): StateSettings {
  const { tickMs, latenessMs, idleMs } = time;
  const { learn, windowMs } = drift;
  return {
    ...{ tickMs, latenessMs, idleMs, horizonMs: popularity.horizonMs },
    drift: drift.detectors.length === 0 ? undefined : { learn, windowMs },
  };
}
