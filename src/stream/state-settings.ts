import { joinedRequests, WORKS } from '../features/works.js';
import { followsCauses, type MonitorOptions } from './options.js';

/** Select the options that state depends on, by the names of their keys. */
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
    // States that were made before there was one say nothing of it.
    ...(clockSkewMs > 0 && { 'attribution.clockSkew': clockSkewMs }),
    ...Object.assign({}, ...asked.map((feature) => feature.settings?.(options))),
  };
}

/** Rewards of actions, by name. If no feature uses rewards of lists, only rewards of 0 matter. */
function statedActions(options: MonitorOptions): string {
  const named = Object.entries(options.actions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const isWeighed = followsCauses(options) || joinedRequests(options) !== undefined;
  const matters = ([, worth]: [string, number]) => (isWeighed ? worth !== 1 : worth === 0);
  const stated = named.filter(matters).map(([action, worth]) => `${action} ${worth}`);
  return stated.length === 0 ? 'worth 1 each' : stated.join(', ');
}
