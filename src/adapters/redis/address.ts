import type { RedisOptions } from 'ioredis';
import { UnskewError } from '../../errors.js';

/** Where a server is, and how it is called in errors: without passwords. */
export interface RedisAddress {
  readonly options: Omit<RedisOptions, 'replyMapping'>;
  readonly place: string;
}

const SENTINEL = /^redis(s?)-sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const SENTINEL_PORT = 26_379;
const EXPECTED =
  'expected redis-sentinel://user:password@host:port,host:port/name, and ?db=0&sentinelPassword=… where they are needed';

/**
 * Reads an address: `redis://` and `rediss://` of one server, or `redis-sentinel://` and, by TLS,
 * `rediss-sentinel://` of the Sentinels that know which server leads.
 *
 * @throws UnskewError USAGE
 */
export function redisAddress(url: string): RedisAddress {
  const found = SENTINEL.exec(url);
  if (found !== null) return sentinelAddress(found);
  if (/^rediss?-sentinel:/.test(url)) throw new UnskewError('USAGE', `Redis: ${EXPECTED}`);
  return { options: serverOptions(new URL(url)), place: `Redis at ${new URL(url).host}` };
}

function serverOptions({ protocol, username, password, hostname, port, pathname }: URL) {
  return {
    host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port || 6379),
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(pathname.length > 1 && { db: Number(pathname.slice(1)) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

function sentinelAddress([, tls, login = '', hosts, name, query]: RegExpExecArray): RedisAddress {
  const [user = '', ...password] = login.split(':').map(decodeURIComponent);
  const asked = new URLSearchParams(query);
  for (const key of asked.keys()) {
    if (!['db', 'sentinelUsername', 'sentinelPassword'].includes(key)) {
      throw new UnskewError('USAGE', `Redis: ?${key}= is not known; ${EXPECTED}`);
    }
  }
  const own = (key: 'sentinelUsername' | 'sentinelPassword') => {
    const value = asked.get(key);
    return value === null ? {} : { [key]: value };
  };
  return {
    options: {
      sentinels: hosts!.split(',').map(hostAndPort),
      name: decodeURIComponent(name!),
      ...credentials(user, password.join(':')),
      ...own('sentinelUsername'),
      ...own('sentinelPassword'),
      ...(asked.has('db') && { db: Number(asked.get('db')) }),
      ...(tls === 's' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
      // A leader that hangs is left as soon as the Sentinels say so.
      failoverDetector: true,
    },
    place: `Redis ${name} of the Sentinels at ${hosts}`,
  };
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text) ?? [];
  if (host === undefined) throw new UnskewError('USAGE', `Redis: ${EXPECTED}`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? SENTINEL_PORT) };
}

function credentials(username: string, password: string) {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}
