import type { Complete, Report } from '../key.js';
import { duration, oneOf, text, whole } from '../kinds.js';

/** Page, API and metrics. */
export const HTTP = {
  host: text({
    description: 'Address to listen on.',
    commands: ['serve'],
    expected: 'some text',
    default: '127.0.0.1',
  }),
  port: whole({
    description: 'Port to listen on; 0 takes a free one.',
    commands: ['serve'],
    unit: null,
    from: 0,
    to: 65_535,
    default: 9464,
  }),
  token: text({
    description:
      'Bearer token. It is asked of everything but the health routes, and never printed.',
    commands: ['serve'],
    pattern: '^[A-Za-z0-9._~+/=-]{16,256}$',
    expected: 'a token of 16 to 256 letters, digits and ._~+/=-',
    secret: true,
  }),
  rateLimit: whole({
    description: 'Requests from one address; 0: any number. The health routes are not counted.',
    commands: ['serve'],
    unit: 'requests a minute',
    from: 0,
    to: 1_000_000,
    default: 1200,
  }),
} as const;

/** The past that page and API show. */
export const HISTORY = {
  keep: duration({
    description: 'How much of the past the page and the API show. The newest tick always.',
    commands: ['serve'],
    least: '0s',
    default: '24h',
  }),
  dir: text({
    description:
      'Folder that keeps the past over a restart, of this process alone. Without one it is kept in memory.',
    commands: ['serve'],
    expected: 'the path of a folder',
  }),
} as const;

export const ESTIMATES_FILE = text({
  description: 'File to which every window of every tick is appended as a line of JSON.',
  commands: ['serve'],
  expected: 'the path of a file',
});

export const LOG = {
  level: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'The least severity that is logged.',
    commands: ['serve'],
    default: 'info',
  }),
} as const;

const LOOPBACK = /^(127\.|::1$|localhost$)/;

export function checkHttp({ token, host }: Complete<typeof HTTP>, warn: Report): void {
  if (token === undefined && !LOOPBACK.test(host)) {
    warn('http.token', `none is set, so whoever can reach ${host} reads everything`);
  }
}
