import { FORMATS } from '../../events/formats/frame.js';
import type { Complete, Report } from '../key.js';
import { duration, group, key, ofCommands, oneOf, size, text, yesOrNo } from '../kinds.js';
import { Type } from '../schema.js';

export const TOPIC = {
  pattern: '^[a-zA-Z0-9._-]{1,249}$',
  expected: 'a topic name of letters, digits, dots, dashes and underscores',
};

const BROKER = Type.String({
  pattern: '^[^\\s,:]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5}$',
});

const TLS_FIELDS = {
  ca: text({
    description:
      'PEM file of the certificate authorities to trust. Not given: those of the system and of `NODE_EXTRA_CA_CERTS`.',
    expected: 'a PEM file',
  }),
  certificate: text({
    description:
      'PEM file of the client certificate and its chain. It is read for each connection, so a renewed certificate needs no restart.',
    expected: 'a PEM file',
  }),
  key: text({
    description: 'PEM file of the client’s private key.',
    expected: 'a PEM file',
  }),
  keyPassphrase: text({
    description: 'Passphrase of the private key; never printed.',
    expected: 'a passphrase',
    secret: true,
  }),
} as const;

const MECHANISMS = [
  'plain',
  'scram-sha-256',
  'scram-sha-512',
  'oauthbearer',
  'aws-msk-iam',
] as const;

const SASL_FIELDS = {
  mechanism: oneOf(MECHANISMS, {
    description:
      'SASL mechanism. plain and scram need `username` and `password`; oauthbearer needs `token`, `tokenFile` or `tokenUrl`; aws-msk-iam needs `region`.',
  }),
  username: text({
    description: 'SASL user.',
    expected: 'a user name',
  }),
  password: text({
    description: 'SASL password; never printed.',
    expected: 'a password',
    secret: true,
  }),
  token: text({
    description: 'oauthbearer: a fixed token; never printed.',
    expected: 'a token',
    secret: true,
  }),
  tokenFile: text({
    description:
      'oauthbearer: a file that holds a fresh token, such as that of a Kubernetes service account. It is read again before the token expires, or every minute if the token has no expiry.',
    expected: 'a file',
  }),
  tokenUrl: text({
    description:
      'oauthbearer: token endpoint for `clientId` and `clientSecret` (OAuth 2.0 client credentials). A token is renewed when a fifth of its lifetime is left.',
    pattern: '^https?://[^\\s]+$',
    expected: 'an address that begins with https:// or http://',
  }),
  clientId: text({
    description: 'oauthbearer: client id for the token endpoint.',
    expected: 'a client id',
  }),
  clientSecret: text({
    description: 'oauthbearer: client secret for the token endpoint; never printed.',
    expected: 'a secret',
    secret: true,
  }),
  scope: text({
    description: 'oauthbearer: scopes to request, separated by spaces.',
    expected: 'scopes',
  }),
  audience: text({
    description: 'oauthbearer: audience to request.',
    expected: 'an audience',
  }),
  extensions: key(
    {
      description: 'oauthbearer: SASL extensions, such as `logicalCluster` and `identityPoolId`.',
    },
    {
      schema: Type.Record(Type.String({ pattern: '^[!-~ ]+$' })),
      expected: 'an object of strings whose names have letters only',
      range: 'an object of strings',
      argument: '<JSON>',
      examples: [
        {
          logicalCluster: 'lkc-1',
          identityPoolId: 'pool-1',
        },
      ],
      decode: checkedExtensions,
    },
  ),
  region: text({
    description: 'aws-msk-iam: region of the cluster. Credentials come from the usual AWS sources.',
    pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$',
    expected: 'a region such as eu-west-1',
  }),
};

const FORMAT_COMMANDS = { commands: ['serve', 'export'] } as const;
const FORMAT_OF = {
  ...FORMAT_COMMANDS,
  default: 'json',
} as const;
const FORMAT_FIELDS = {
  exposures: oneOf(FORMATS, {
    description:
      'Encoding of exposures. Avro, Protobuf and JSON Schema are expected in the schema registry’s wire format; `auto` detects this format in each record, and reads other records as JSON.',
    ...FORMAT_OF,
  }),
  interactions: oneOf(FORMATS, {
    description: 'Encoding of interactions, with the same choices as for exposures.',
    ...FORMAT_OF,
  }),
} as const;
/**
 * Check the names of SASL extensions: letters only, and not `auth`, which RFC 7628 reserves for the
 * token.
 */
function checkedExtensions(written: unknown): Readonly<Record<string, string>> {
  for (const name of Object.keys(written as object)) {
    if (/^[a-zA-Z]+$/.test(name) && name !== 'auth') continue;
    throw new RangeError(
      `expected names of letters other than auth, found ${JSON.stringify(name)}`,
    );
  }
  return written as Readonly<Record<string, string>>;
}

/** Keys of `kafka`: the cluster, its topics, and how to read them. */
export const KAFKA = ofCommands(['serve', 'intake', 'export'], {
  brokers: key(
    {
      description: 'Kafka brokers, as `host:port`.',
      default: ['127.0.0.1:9092'],
    },
    {
      schema: Type.Array(BROKER, { minItems: 1 }),
      expected: 'a list of host:port',
      range: 'host:port, at least one',
      argument: '<host:port>',
      examples: [['kafka-1:9092', 'kafka-2:9092']],
      decode: (written) => written as readonly string[],
    },
  ),
  groupId: text({
    description: 'Consumer group and client id. Processes of one group share the partitions.',
    state: {
      effect: 'reset',
      how: 'Each group has its own state; that of the old group is kept.',
    },
    expected: 'some text',
    default: 'unskew',
  }),
  topics: {
    exposures: text({
      description: 'Topic of exposures. It must exist, unless the intake creates it.',
      commands: ['serve', 'intake'],
      state: {
        effect: 'refused',
        how: 'State belongs to the offsets of its topics.',
      },
      ...TOPIC,
      default: 'unskew.exposures',
    }),
    interactions: text({
      description:
        'Topic of interactions, with as many partitions as the topic of exposures. It must exist, unless the intake creates it.',
      state: {
        effect: 'refused',
        how: 'State belongs to the offsets of its topics.',
      },
      ...TOPIC,
      default: 'unskew.interactions',
    }),
    deadLetter: text({
      description: 'Topic for dead letters, which are invalid events.',
      commands: ['serve', 'intake'],
      ...TOPIC,
      default: 'unskew.dead-letter',
    }),
  },
  formats: group(FORMAT_FIELDS, {
    description: 'Encoding of the events in each topic.',
    ...FORMAT_COMMANDS,
  }),
  start: oneOf(['earliest', 'latest'], {
    description: 'Where to start reading a partition without a checkpoint.',
    commands: ['serve', 'intake'],
    default: 'earliest',
  }),
  ssl: yesOrNo({
    description: 'Connect to Kafka over TLS.',
    default: false,
  }),
  tls: group(TLS_FIELDS, {
    description: 'Certificate files for TLS. They need `kafka.ssl: true`.',
  }),
  sasl: group(SASL_FIELDS, {
    description:
      'SASL login, such as `{mechanism: scram-sha-512, username: unskew, password: …}`. Not given: no login.',
  }),
  sessionTimeout: duration({
    description:
      'Time without a heartbeat after which the group removes a process. Brokers accept no less than 6s by default. The process starts a new session if fetches get no answer for three times as long, although the brokers answer other requests. After three such sessions in a row, it exits with code 1.',
    commands: ['serve', 'intake'],
    least: '1ms',
    default: '30s',
  }),
  maxBytesPerPartition: size({
    description: 'Maximum size of a fetch from one partition.',
    default: '1MiB',
  }),
  maxUnpacked: size({
    description:
      'Maximum decompressed size of one compressed batch. Larger batches, and batches of more than 100,000 records, are rejected and counted. One fetch response may decompress to twice as much; the rest waits.',
    default: '64MiB',
  }),
});

export function checkKafka(
  { topics, ssl, tls, sasl }: Complete<typeof KAFKA>,
  fault: Report,
): void {
  const { exposures, interactions, deadLetter } = topics;
  const different = 'expected different topics, found';
  if (exposures === interactions) {
    fault('kafka.topics.interactions', `${different} ${interactions} for exposures too`);
  }
  if (deadLetter === exposures || deadLetter === interactions) {
    fault('kafka.topics.deadLetter', `${different} ${deadLetter} for events too`);
  }
  checkTls(ssl, tls, fault);
  checkSasl(sasl, fault);
}

function checkTls(ssl: boolean, tls: Complete<typeof TLS_FIELDS>, fault: Report): void {
  const given = Object.values(tls).some((value) => value !== undefined);
  if (given && !ssl) {
    fault('kafka.ssl', 'expected true, because kafka.tls is set');
  }
  if (tls.certificate !== undefined && tls.key === undefined) {
    fault('kafka.tls.key', 'required, because kafka.tls.certificate is set');
  }
  if (tls.key !== undefined && tls.certificate === undefined) {
    fault('kafka.tls.certificate', 'required, because kafka.tls.key is set');
  }
  if (tls.keyPassphrase !== undefined && tls.key === undefined) {
    fault('kafka.tls.keyPassphrase', 'has no effect without kafka.tls.key');
  }
}

type SaslKeys = Complete<typeof SASL_FIELDS>;
type SaslName = Exclude<keyof SaslKeys, 'mechanism'>;
type Mechanism = (typeof MECHANISMS)[number];

const LOGIN: readonly SaslName[] = ['username', 'password'];
const TOKENS: readonly SaslName[] = ['token', 'tokenFile', 'tokenUrl'];
const OF_ISSUER: readonly SaslName[] = ['clientId', 'clientSecret', 'scope', 'audience'];
/**
 * Settings that each SASL mechanism requires. `TAKES` lists the settings that the mechanism allows
 * in addition.
 */
const NEEDS: Readonly<Record<Mechanism, readonly SaslName[]>> = {
  plain: LOGIN,
  'scram-sha-256': LOGIN,
  'scram-sha-512': LOGIN,
  oauthbearer: [],
  'aws-msk-iam': ['region'],
};
const TAKES: Readonly<Partial<Record<Mechanism, readonly SaslName[]>>> = {
  oauthbearer: [...TOKENS, ...OF_ISSUER, 'extensions'],
};

function checkSasl(sasl: SaslKeys, fault: Report): void {
  const { mechanism, ...rest } = sasl;
  const names = Object.keys(rest) as SaslName[];
  const given = names.filter((name) => rest[name] !== undefined);
  if (mechanism === undefined) {
    if (given.length > 0) {
      fault('kafka.sasl.mechanism', expectedAs(`kafka.sasl.${given[0]}`));
    }
    return;
  }
  const needs = NEEDS[mechanism];
  const takes = [...needs, ...(TAKES[mechanism] ?? [])];
  for (const name of needs) {
    if (!given.includes(name)) {
      fault(`kafka.sasl.${name}`, expectedAs(`mechanism ${mechanism}`));
    }
  }
  for (const name of given) {
    if (!takes.includes(name)) {
      fault(`kafka.sasl.${name}`, `has no effect with mechanism ${mechanism}`);
    }
  }
  if (mechanism === 'oauthbearer') {
    checkBearer(sasl, fault);
  }
}

function checkBearer(sasl: SaslKeys, fault: Report): void {
  const sources = TOKENS.filter((name) => sasl[name] !== undefined);
  if (sources.length !== 1) {
    const found = sources.length === 0 ? 'none' : sources.join(' and ');
    fault('kafka.sasl.mechanism', `oauthbearer needs one of ${TOKENS.join(', ')}, found ${found}`);
  }
  for (const name of OF_ISSUER) {
    const isNeeded = name === 'clientId' || name === 'clientSecret';
    if (sasl.tokenUrl === undefined) {
      if (sasl[name] !== undefined) {
        fault(`kafka.sasl.${name}`, 'has no effect without tokenUrl');
      }
    } else if (isNeeded && sasl[name] === undefined) {
      fault(`kafka.sasl.${name}`, expectedAs('kafka.sasl.tokenUrl'));
    }
  }
}

const expectedAs = (what: string) => `required, because ${what} is set`;

/** Complete credentials of a SASL mechanism. */
export type Login =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly source: TokenSource;
      /** SASL extensions that are sent with the token, for brokers that serve several clusters. */
      readonly extensions: Readonly<Record<string, string>>;
    }
  | {
      readonly mechanism: 'aws-msk-iam';
      readonly region: string;
    };

/** Source of the token for SASL `oauthbearer`. */
export type TokenSource =
  | {
      readonly kind: 'static';
      readonly token: string;
    }
  | {
      readonly kind: 'file';
      readonly file: string;
    }
  | ({ readonly kind: 'issuer' } & ClientCredentials);

/** OAuth token endpoint, with the client credentials for it. */
export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  readonly audience?: string;
}

/**
 * Convert the settings of `kafka.sasl` to a login; undefined if no mechanism is set.
 *
 * @param sasl keys that `checkKafka` has accepted.
 */
export function loginOf(sasl: SaslKeys): Login | undefined {
  const { mechanism, region = '', username = '', password = '', extensions = {} } = sasl;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'aws-msk-iam') return { mechanism, region };
  if (mechanism === 'oauthbearer') {
    return {
      mechanism,
      source: sourceOf(sasl),
      extensions,
    };
  }
  return {
    mechanism,
    username,
    password,
  };
}

function sourceOf(sasl: SaslKeys): TokenSource {
  const { token, tokenFile, tokenUrl = '', clientId = '', clientSecret = '' } = sasl;
  if (token !== undefined) {
    return {
      kind: 'static',
      token,
    };
  }
  if (tokenFile !== undefined) {
    return {
      kind: 'file',
      file: tokenFile,
    };
  }
  const { scope, audience } = sasl;
  return {
    kind: 'issuer',
    tokenUrl,
    clientId,
    clientSecret,
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  };
}
