import { joinedRequests, WORKS } from '../features/works.js';
import { followsCauses, type MonitorOptions } from './options.js';

/**
 * The settings that stored state depends on, by configuration key. State made with other values
 * cannot always be continued.
 */
export function stateSettings(options: MonitorOptions): Record<string, unknown> {
  const asked = WORKS.filter((feature) => feature.isAsked(options));
  const { clockSkewMs = 0 } = options;
  return {
    'time.tick': options.tickMs,
    'time.windows': options.windows.map(({ ms }) => ms),
    'time.lateness': options.latenessMs,
    'dedupe.ttl': options.dedupeTtlMs,
    'attribution.ttl': options.attributionTtlMs,
    'popularity.horizon': options.popularity.horizonMs,
    'popularity.of': options.popularity.of,
    'positive.minValue': options.positiveMinValue,
    gammaPeriod: options.gamma.periodMs,
    gammaFit: options.gamma.fit,
    'popularity.randomized': options.popularity.randomized ?? 'count',
    'popularity.caused': options.popularity.caused ?? 'count',
    'popularity.userCap': options.popularity.userCap ?? 0,
    'estimates.feedback': followsCauses(options) ? 'withhold or caution' : 'ignore',
    'events.actions': statedActions(options),
    // State of earlier versions lacks this key.
    ...(clockSkewMs > 0 && { 'attribution.clockSkew': clockSkewMs }),
    ...Object.assign({}, ...asked.map((feature) => feature.settings?.(options))),
  };
}

/**
 * Text that states the rewards of actions. If no feature attributes rewards to lists or requests,
 * only rewards of 0 matter, so the others are left out.
 */
function statedActions(options: MonitorOptions): string {
  const named = Object.entries(options.actions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const isWeighed = followsCauses(options) || joinedRequests(options) !== undefined;
  const matters = ([, worth]: [string, number]) => (isWeighed ? worth !== 1 : worth === 0);
  const stated = named.filter(matters).map(([action, worth]) => `${action} ${worth}`);
  return stated.length === 0 ? 'worth 1 each' : stated.join(', ');
}
