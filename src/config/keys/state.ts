import type { Complete, Report } from '../key.js';
import { duration, limit, ofCommands, oneOf, text, whole } from '../kinds.js';
import { TOPIC } from './kafka.js';

/** Key `stopTimeout`. Most orchestrators kill a process 30 s after they ask it to stop. */
export const STOP_TIMEOUT = duration({
  description:
    'Time limit for stopping. Set it below the orchestrator’s grace period. If a part of the service is still running after this time, the service logs the name of the part and exits with code 1.',
  commands: ['serve'],
  least: '1s',
  default: '25s',
});

/** Keys of `state`: where checkpoints are stored, and how often they are written. */
export const STATE = ofCommands(['serve'], {
  store: oneOf(['none', 'file', 'redis'], {
    description: 'Where to store checkpoints.',
    state: {
      effect: 'reset',
      how: 'Move the state with `unskew state export` and `import`.',
    },
    default: 'none',
  }),
  dir: text({
    description:
      'Folder or `s3://bucket/prefix` for `store: file`; each consumer group needs its own. `export.s3` configures the client.',
    state: {
      effect: 'reset',
      how: 'Move the state with `unskew state export` and `import`.',
    },
    expected: 'a folder, or s3://bucket and a prefix',
  }),
  redisUrl: text({
    description: 'Address of Redis or its Sentinels for `store: redis`; never printed.',
    state: {
      effect: 'reset',
      how: 'Move the state with `unskew state export` and `import`.',
    },
    pattern: '^(rediss?://[^\\s]+|rediss?-sentinel://[^\\s/]+/[^\\s]+)$',
    expected:
      'redis://host:port, rediss://host:port for TLS, or redis-sentinel://host:port,host:port/name',
    secret: true,
  }),
  every: duration({
    description: 'Time between checkpoints.',
    least: '100ms',
    default: '30s',
  }),
});

export const PANES = {
  topic: text({
    description:
      'Topic that carries closed panes from `serve --role read` to `serve --role tick`. It is created if it does not exist.',
    commands: ['serve'],
    ...TOPIC,
    derived: '`kafka.groupId` followed by .panes',
  }),
} as const;

export const MODELS = {
  max: whole({
    description:
      'Maximum number of models to evaluate. Lists of further models are only counted. A model without lists for the longest window plus `attribution.ttl` makes room for another one.',
    commands: ['serve', 'replay', 'evaluate'],
    unit: 'models',
    from: 1,
    to: 1000,
    default: 16,
  }),
} as const;

/** Default limits of a service; docs/sizing.md lists the memory that they take. */
export const SERVICE_LIMITS = {
  rows: 20_000_000,
  listEntries: 80_000_000,
  users: 5_000_000,
  requests: 200_000,
} as const;

/**
 * Keys of `limits`. Above the limit on requests, requests are sampled. Above the limit on items,
 * events with further items are left out. Above any other limit, users are sampled.
 */
export const LIMITS = ofCommands(['serve', 'replay', 'evaluate'], {
  rows: limit({
    description:
      'Maximum number of interactions in the longest window. Above it, users are sampled.',
    unit: 'interactions',
    serviceDefault: SERVICE_LIMITS.rows,
  }),
  listEntries: limit({
    description:
      'Maximum number of list items within `attribution.ttl`. Above it, users are sampled.',
    unit: 'items of lists',
    serviceDefault: SERVICE_LIMITS.listEntries,
  }),
  users: limit({
    description:
      'Maximum number of users within `popularity.horizon`. Above it, users are sampled.',
    unit: 'users',
    serviceDefault: SERVICE_LIMITS.users,
  }),
  requests: limit({
    description:
      'Maximum number of requests in the longest window. Above it, requests are sampled.',
    unit: 'requests',
    serviceDefault: SERVICE_LIMITS.requests,
  }),
  items: limit({
    description:
      'Maximum number of distinct items. Events with further items are counted and left out.',
    commands: ['serve'],
    unit: 'items',
    default: 1_000_000,
  }),
});

interface Kept {
  readonly state: Complete<typeof STATE>;
}

/** Default name of the panes topic of a consumer group. */
export function panesTopicOf(groupId: string): string {
  return `${groupId.replace(/[^a-zA-Z0-9._-]/g, '_').slice(0, 240)}.panes`;
}

export function checkState({ state }: Kept, fault: Report): void {
  const { store, dir, redisUrl } = state;
  if (store === 'file' && dir === undefined) {
    fault(
      'state.dir',
      'expected a folder, or s3://bucket and a prefix, because state.store is file',
    );
  }
  if (dir?.startsWith('s3://') && !/^s3:\/\/[^/]+(\/.*)?$/.test(dir)) {
    fault('state.dir', `expected s3://bucket and a prefix, found ${dir}`);
  }
  if (store === 'redis' && redisUrl === undefined) {
    fault('state.redisUrl', 'expected redis://host:port, because state.store is redis');
  }
  if (store !== 'file' && dir !== undefined) {
    fault(
      'state.dir',
      `has no effect with state.store: ${store}; remove it, or set state.store to file`,
    );
  }
  if (store !== 'redis' && redisUrl !== undefined) {
    fault(
      'state.redisUrl',
      `has no effect with state.store: ${store}; remove it, or set state.store to redis`,
    );
  }
  if (redisUrl !== undefined && !redisUrl.includes('-sentinel://') && !URL.canParse(redisUrl)) {
    fault('state.redisUrl', 'expected redis://host:port');
  }
}
