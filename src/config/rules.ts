import { Cron } from 'croner';
import { UnskewError } from '../errors.js';
import { compileMapping, type Mapping } from '../events/mapping/mapping.js';
import type { DecodedConfig } from './schema.js';
import { formatDuration } from './units.js';

/** A window as configured: the name is its label. */
export interface WindowConfig {
  readonly name: string;
  readonly ms: number;
}

/** What one value means for another; called with the path of the value to mend. */
type Report = (path: string, message: string) => void;

export function longestWindowMs(windows: readonly WindowConfig[]): number {
  return windows.reduce((longest, window) => Math.max(longest, window.ms), 0);
}

/** Rules between values, after each value by itself is right. */
export function checkRules(
  config: DecodedConfig & { gammaPeriod: number; popularity: { horizon: number } },
  fault: Report,
  warn: Report,
): void {
  checkTime(config, fault);
  checkHorizon(config, fault, warn);
  checkKafka(config, fault);
  checkMapping(config, fault);
  checkState(config, fault);
  checkHttp(config, warn);
  checkExport(config, fault);
  const { to, file } = config.deadLetters;
  if (to === 'file' && file === undefined) {
    fault('deadLetters.file', 'expected the path of a file, as deadLetters.to is file');
  }
  if (to !== 'file' && file !== undefined) {
    fault('deadLetters.file', `has no use as deadLetters.to is ${to}; leave it out or write file`);
  }
}

function checkTime({ time, dedupe, attribution }: DecodedConfig, fault: Report): void {
  if (time.tick < 1000) fault('time.tick', 'expected at least 1s');
  if (time.idle < 1) fault('time.idle', 'expected more than 0');
  if (dedupe.ttl < 1) fault('dedupe.ttl', 'expected more than 0');
  if (attribution.ttl < 1) fault('attribution.ttl', 'expected more than 0');
  time.windows.forEach((window, index) => {
    const path = `time.windows[${index}]`;
    if (window.ms === 0 || (time.tick > 0 && window.ms % time.tick !== 0)) {
      const tick = formatDuration(time.tick);
      fault(path, `expected a multiple of time.tick (${tick}), found ${window.name}`);
    }
    const same = time.windows.findIndex((other) => other.ms === window.ms);
    if (same < index) {
      fault(
        path,
        `expected different windows, found ${window.name} as long as time.windows[${same}]`,
      );
    }
  });
}

function checkHorizon(
  config: DecodedConfig & { gammaPeriod: number; popularity: { horizon: number } },
  fault: Report,
  warn: Report,
): void {
  const { horizon } = config.popularity;
  const longest = longestWindowMs(config.time.windows);
  const found = `found ${formatDuration(horizon)}`;
  if (horizon < longest) {
    const floor = `the longest window (${formatDuration(longest)})`;
    fault('popularity.horizon', `expected at least ${floor}, ${found}`);
  } else if (horizon < 10 * longest) {
    const advice = `10 times the longest window (${formatDuration(10 * longest)})`;
    warn('popularity.horizon', `at least ${advice} is recommended, ${found}`);
  }
  const period = formatDuration(config.gammaPeriod);
  if (config.gammaPeriod < 1) fault('gammaPeriod', 'expected more than 0');
  if (config.gammaPeriod >= horizon) {
    const ceiling = `popularity.horizon (${formatDuration(horizon)})`;
    fault('gammaPeriod', `expected less than ${ceiling}, found ${period}`);
  }
}

function checkKafka({ kafka }: DecodedConfig, fault: Report): void {
  const { exposures, interactions, deadLetter } = kafka.topics;
  const different = 'expected different topics, found';
  if (exposures === interactions) {
    fault('kafka.topics.interactions', `${different} ${interactions} for exposures too`);
  }
  if (deadLetter === exposures || deadLetter === interactions) {
    fault('kafka.topics.deadLetter', `${different} ${deadLetter} for events too`);
  }
  if (kafka.connectTimeout < 1) fault('kafka.connectTimeout', 'expected more than 0');
  if (kafka.sessionTimeout < 1) fault('kafka.sessionTimeout', 'expected more than 0');
  const { mechanism, username, password } = kafka.sasl;
  const given = Object.entries({ mechanism, username, password });
  const missing = given.filter(([, value]) => value === undefined).map(([key]) => key);
  if (missing.length > 0 && missing.length < given.length) {
    for (const key of missing)
      fault(`kafka.sasl.${key}`, 'expected, as the rest of kafka.sasl is given');
  }
}

function checkState({ state, workers }: DecodedConfig, fault: Report): void {
  const { store, dir, redisUrl, every } = state;
  if (store === 'file' && dir === undefined) {
    fault('state.dir', 'expected the path of a folder, as state.store is file');
  }
  if (store === 'redis' && redisUrl === undefined) {
    fault('state.redisUrl', 'expected redis://host:port, as state.store is redis');
  }
  if (store !== 'file' && dir !== undefined) {
    fault('state.dir', `has no use as state.store is ${store}; leave it out or write file`);
  }
  if (store !== 'redis' && redisUrl !== undefined) {
    fault('state.redisUrl', `has no use as state.store is ${store}; leave it out or write redis`);
  }
  if (redisUrl !== undefined && !URL.canParse(redisUrl)) {
    fault('state.redisUrl', 'expected redis://host:port');
  }
  if (workers.exchange === 'redis' && store !== 'redis') {
    fault('workers.exchange', `expected none, as state.store is ${store} and not redis`);
  }
  if (every < 100) fault('state.every', 'expected at least 100ms');
}

const LOOPBACK = /^(127\.|::1$|localhost$)/;

function checkHttp({ http }: DecodedConfig, warn: Report): void {
  if (http.token === undefined && !LOOPBACK.test(http.host)) {
    warn('http.token', `none is set, so whoever can reach ${http.host} reads everything`);
  }
}

function checkExport({ export: settings }: DecodedConfig, fault: Report): void {
  const { schedule, timeZone, out, range, leaseTtl, retryDelay } = settings;
  if (range < 1) fault('export.range', 'expected more than 0');
  if (leaseTtl < 3000) fault('export.leaseTtl', 'expected at least 3s');
  if (retryDelay < 1) fault('export.retryDelay', 'expected more than 0');
  if (schedule === undefined) return;
  if (out === undefined) fault('export.out', 'expected a place, as export.schedule is given');
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    fault('export.timeZone', `expected a time zone such as Europe/Berlin, found ${timeZone}`);
    return;
  }
  try {
    if (new Cron(schedule, { timezone: timeZone, paused: true }).nextRun() === null) {
      fault('export.schedule', `is never due: ${schedule}`);
    }
  } catch (error) {
    fault('export.schedule', `no cron expression: ${(error as Error).message}`);
  }
}

/** The mapping's own check stops at its first fault. */
function checkMapping({ events }: DecodedConfig, fault: Report): void {
  if (events.mapping === undefined || events.mapping === 'metarank') return;
  try {
    compileMapping(events.mapping as unknown as Mapping, 'mapping');
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    fault('events.mapping', error.message);
  }
}
