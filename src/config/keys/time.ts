import { type Complete, READERS, type Report } from '../key.js';
import { duration, ofCommands, type WindowConfig, whole, windows } from '../kinds.js';
import { formatDuration } from '../units.js';

/** Keys of `time`: panes, windows, and bounds on event time. */
export const TIME = ofCommands(['serve', 'replay'], {
  tick: duration({
    description: 'Length of a pane. New numbers appear after each pane of event time.',
    state: {
      effect: 'refused',
      how: 'Stored counts and rows cannot be converted.',
    },
    flag: '--tick',
    least: '1s',
    default: '1m',
  }),
  windows: windows({
    description:
      'Window lengths. The text is the label in metrics and JSON. `24h every 10m` is computed every ten minutes instead of every pane.',
    state: {
      effect: 'converted',
      how: 'A longer period fills up over time.',
    },
    flag: '--windows',
    default: ['1h', '24h'],
  }),
  lateness: duration({
    description:
      'How far behind the newest event of its partition an event may be. Later events count only in popularity.',
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    flag: '--lateness',
    least: '0s',
    default: '30s',
  }),
  maxFuture: duration({
    description: 'How far ahead of the clock an event may be.',
    commands: READERS,
    least: '0s',
    default: '5m',
  }),
  idle: duration({
    description:
      'A partition that is silent for this long, and read to its end, no longer delays the others.',
    commands: ['serve'],
    least: '1ms',
    default: '60s',
  }),
  backlogPanes: whole({
    description:
      'While the service is more than five panes behind, it computes windows only at every n-th pane; 1: at every pane. It catches up faster with higher values. γ, drift and verdicts still use every pane.',
    commands: ['serve'],
    unit: null,
    from: 1,
    to: 60,
    default: 1,
  }),
});

export const DEDUPE = {
  ttl: duration({
    description:
      'A second event with the same id within this period of event time is a duplicate. `evaluate` checks all events of its files.',
    commands: ['serve', 'replay'],
    state: {
      effect: 'converted',
      how: 'A longer period fills up over time.',
    },
    least: '1ms',
    default: '1h',
  }),
} as const;

export const ATTRIBUTION = {
  ttl: duration({
    description: 'Maximum age of the list that an interaction is attributed to.',
    commands: ['serve', 'replay', 'evaluate', 'sql'],
    state: {
      effect: 'converted',
      how: 'A longer period fills up over time.',
    },
    flag: '--attribution-ttl',
    least: '1ms',
    default: '24h',
  }),
  clockSkew: duration({
    flag: '--clock-skew',
    description:
      'How much earlier an interaction may be than the list it is attributed to, because clocks differ. Panes close this much later.',
    commands: ['serve', 'replay', 'evaluate', 'sql'],
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    least: '0s',
    default: '2s',
  }),
} as const;

export function checkTime({ tickMs, windows }: Complete<typeof TIME>, fault: Report): void {
  windows.forEach(({ name, ms, everyMs }, index) => {
    const path = `time.windows[${index}]`;
    if (everyMs !== undefined && (everyMs === 0 || everyMs % tickMs !== 0 || ms % everyMs !== 0)) {
      const between = `a multiple of time.tick (${formatDuration(tickMs)}) that divides ${name}`;
      fault(path, `expected ${between}, found every ${formatDuration(everyMs)}`);
    }
    if (ms === 0 || ms % tickMs !== 0) {
      const tick = formatDuration(tickMs);
      fault(path, `expected a multiple of time.tick (${tick}), found ${name}`);
    }
    const same = windows.findIndex((other) => other.ms === ms);
    if (same < index) {
      fault(path, `expected different windows, found ${name} as long as time.windows[${same}]`);
    }
  });
}

export function longestWindowMs(windows: readonly WindowConfig[]): number {
  return windows.reduce((longest, { ms }) => Math.max(longest, ms), 0);
}
