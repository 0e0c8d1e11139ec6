import { isIP } from 'node:net';
import type { Complete, Decoded, Report } from '../key.js';
import { duration, key, ofCommands, oneOf, text, whole } from '../kinds.js';
import { Type } from '../schema.js';

/** Tables of what was estimated. */
export const RESULTS = {
  out: text({
    description:
      'Where the estimates of every window are kept as Parquet, those of one tick in each stretch as long as the shortest window. A folder, or `s3://bucket/prefix` with the client of `export.s3`.',
    commands: ['serve'],
    expected: 'a folder, or s3://bucket and a prefix',
  }),
} as const;

export function checkResults({ out }: Complete<typeof RESULTS>, fault: Report): void {
  if (out?.startsWith('s3://') && !/^s3:\/\/[^/]+(\/.*)?$/.test(out)) {
    fault('results.out', `expected s3://bucket and a prefix, found ${out}`);
  }
}

const HOST_NAME = Type.String({
  pattern: '^(\\*|(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?)$',
});

/** Page, API and metrics. */
export const HTTP = ofCommands(['serve', 'intake'], {
  host: text({
    description: 'Address to listen on.',
    expected: 'some text',
    default: '127.0.0.1',
  }),
  port: whole({
    unit: null,
    description: 'Port to listen on; 0 takes a free one.',
    from: 0,
    to: 65_535,
    default: 9464,
  }),
  hosts: key(
    {
      description:
        'Host names of the service. IP addresses and localhost always work; requests to any other name are refused, against DNS rebinding.',
      default: [],
    },
    {
      schema: Type.Array(HOST_NAME),
      expected: 'a list of host names without ports; *. before one for all below it, * for any',
      range: 'host names without ports; `*.` before one for all below it, `*` for any',
      argument: '<names>',
      examples: [['unskew.example.com', '*.monitoring.svc']],
      decode: (written) => written as readonly string[],
    },
  ),
  auth: oneOf(['token', 'none'], {
    description:
      'Who may read: clients with the token, or everyone who can reach the service. Beyond loopback it must be set, or `http.token` must be.',
    derived: 'token if `http.token` is set, none on loopback',
  }),
  token: text({
    description:
      'Bearer token. It is asked of everything but the health routes, and never printed.',
    pattern: '^[A-Za-z0-9._~+/=-]{16,256}$',
    expected: 'a token of 16 to 256 letters, digits and ._~+/=-',
    secret: true,
  }),
  rateLimit: whole({
    description: 'Requests from one address; 0: any number. The health routes are not counted.',
    unit: 'requests a minute',
    from: 0,
    to: 1_000_000,
    default: 1200,
  }),
});

/** The past that page and API show. */
export const HISTORY = {
  keep: duration({
    description: 'How much of the past the page and the API show. The newest tick is always kept.',
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
    commands: ['serve', 'intake'],
    default: 'info',
  }),
} as const;

/** Whether nothing but this machine reaches what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Who may read, if it is not said. */
export function authOf({ auth, token }: Decoded<typeof HTTP>): 'token' | 'none' {
  return auth ?? (token === undefined ? 'none' : 'token');
}

export function checkHttp({ auth, host, token }: Decoded<typeof HTTP>, fault: Report): void {
  if (auth === 'token' && token === undefined) {
    fault('http.token', 'expected a token, as http.auth is token');
  }
  if (auth === 'none' && token !== undefined) {
    fault('http.token', 'has no use as http.auth is none; leave it out or write token');
  }
  if (auth === undefined && token === undefined && !isLoopback(host)) {
    const remedy = 'set http.token, or http.auth to none if everyone there may read';
    fault('http.host', `${host} is reached from other machines: ${remedy}`);
  }
}

/** What the page and reports say of themselves. */
export const PAGE = {
  environment: text({
    description:
      'Name of what is measured, such as production or staging: in the head and the tab of the page, in pictures of its charts, and in reports.',
    commands: ['serve', 'replay', 'evaluate'],
    pattern: '^[^\\p{Cc}]{1,60}$',
    expected: 'a name of up to 60 characters',
  }),
} as const;
