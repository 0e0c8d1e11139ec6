import type { Config } from '../../../config.js';
import type { StateSettings } from '../../../findings/state/facts.js';

/** The settings that states go by, out of the configuration. */
export function stateSettings({ time, popularity, drift }: Config): StateSettings {
  const { tickMs, latenessMs, idleMs } = time;
  const { learn, windowMs } = drift;
  return {
    ...{ tickMs, latenessMs, idleMs, horizonMs: popularity.horizonMs },
    drift: drift.detectors.length === 0 ? undefined : { learn, windowMs },
  };
}
