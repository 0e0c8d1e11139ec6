import { isIP } from 'node:net';
import type { Complete, Decoded, Report } from '../key.js';
import { duration, key, ofCommands, oneOf, text, whole } from '../kinds.js';
import { Type } from '../schema.js';

/** Keys of `results`: where tables of all estimates are written. */
export const RESULTS = {
  out: text({
    description:
      'Folder or `s3://bucket/prefix` for Parquet tables of all estimates, written once per shortest window.',
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

/** Keys of `http`: page, API and metrics. */
export const HTTP = ofCommands(['serve', 'intake'], {
  host: text({
    description: 'Address to listen on.',
    expected: 'some text',
    default: '127.0.0.1',
  }),
  port: whole({
    unit: null,
    description: 'Port to listen on; 0 picks a free one.',
    from: 0,
    to: 65_535,
    default: 9464,
  }),
  hosts: key(
    {
      description:
        'Host names by which clients may reach the service, besides IP addresses and localhost. Requests with other names get a 421, which prevents DNS rebinding.',
      default: [],
    },
    {
      schema: Type.Array(HOST_NAME),
      expected:
        'a list of host names without ports; *.name for all subdomains of name, * for any host',
      range: 'host names without ports; `*.name` for all subdomains of name, `*` for any host',
      argument: '<names>',
      examples: [['unskew.example.com', '*.monitoring.svc']],
      decode: (written) => written as readonly string[],
    },
  ),
  auth: oneOf(['token', 'none'], {
    description:
      'Who may read: clients with the token (`token`), or everyone (`none`). Required if `http.host` is not loopback and `http.token` is not set.',
    derived: '`token` if `http.token` is set; otherwise `none`, which only loopback allows',
  }),
  token: text({
    description: 'Bearer token that every route but the health routes requires; never printed.',
    pattern: '^[A-Za-z0-9._~+/=-]{16,256}$',
    expected: 'a token of 16 to 256 letters, digits and ._~+/=-',
    secret: true,
  }),
  rateLimit: whole({
    description:
      'Maximum number of requests a minute from one address; 0: no limit. Health routes do not count.',
    unit: 'requests a minute',
    from: 0,
    to: 1_000_000,
    default: 1200,
  }),
});

/** Keys of `history`: how long past numbers are stored for the page and the API. */
export const HISTORY = {
  keep: duration({
    description: 'How far back the page and the API show numbers.',
    commands: ['serve'],
    least: '0s',
    default: '24h',
  }),
  dir: text({
    description:
      'Folder that stores this history, so that it survives a restart; each process needs its own. Not given: the history is in memory only.',
    commands: ['serve'],
    expected: 'the path of a folder',
  }),
} as const;

export const ESTIMATES_FILE = text({
  description: 'File to append the estimates to, one line of JSON per window and tick.',
  commands: ['serve'],
  expected: 'the path of a file',
});

export const LOG = {
  level: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Lowest severity to log.',
    commands: ['serve', 'intake'],
    default: 'info',
  }),
} as const;

/** Whether a server that listens on this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Value of `http.auth` if it is not set: `token` if a token is set, else `none`. */
export function authOf({ auth, token }: Decoded<typeof HTTP>): 'token' | 'none' {
  return auth ?? (token === undefined ? 'none' : 'token');
}

export function checkHttp({ auth, host, token }: Decoded<typeof HTTP>, fault: Report): void {
  if (auth === 'token' && token === undefined) {
    fault('http.token', 'required, because http.auth is token');
  }
  if (auth === 'none' && token !== undefined) {
    fault('http.token', 'has no effect with http.auth: none; remove it, or set http.auth to token');
  }
  if (auth === undefined && token === undefined && !isLoopback(host)) {
    const remedy =
      'set http.token, or set http.auth to none if every client that reaches it may read';
    fault('http.host', `other machines can reach ${host}: ${remedy}`);
  }
}

/** Keys of `page`: the environment's name on the page and in reports. */
export const PAGE = {
  environment: text({
    description: 'Name shown on the page, its charts and reports, such as production or staging.',
    commands: ['serve', 'replay', 'evaluate'],
    pattern: '^[^\\p{Cc}]{1,60}$',
    expected: 'a name of up to 60 characters',
  }),
} as const;
