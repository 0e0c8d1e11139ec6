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
      'PEM file of the authorities that the broker is believed by. Without it those of the system, and of `NODE_EXTRA_CA_CERTS`.',
    expected: 'a PEM file',
  }),
  certificate: text({
    description:
      'PEM file of the certificate, and its chain, that this client shows. Read again for each connection, so that a renewed one needs no restart.',
    expected: 'a PEM file',
  }),
  key: text({
    description: 'PEM file of the certificate’s private key.',
    expected: 'a PEM file',
  }),
  keyPassphrase: text({
    description: 'What opens the private key; never printed.',
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
      'How the broker authenticates this client. plain and scram ask for `username` and `password`; oauthbearer for `token`, `tokenFile` or `tokenUrl`; aws-msk-iam for `region`.',
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
    description: 'oauthbearer: the token itself, which nothing renews; never printed.',
    expected: 'a token',
    secret: true,
  }),
  tokenFile: text({
    description:
      'oauthbearer: a file that something else keeps a fresh token in, as Kubernetes does for service accounts. Read again before the token ends, and each minute if it does not say when.',
    expected: 'a file',
  }),
  tokenUrl: text({
    description:
      'oauthbearer: where tokens are issued for `clientId` and `clientSecret` (OAuth 2.0 client credentials). One is asked for when the last has a fifth of its life left.',
    pattern: '^https?://[^\\s]+$',
    expected: 'an address that begins with https:// or http://',
  }),
  clientId: text({
    description: 'oauthbearer: this client’s id for the issuer.',
    expected: 'a client id',
  }),
  clientSecret: text({
    description: 'oauthbearer: this client’s secret for the issuer; never printed.',
    expected: 'a secret',
    secret: true,
  }),
  scope: text({
    description: 'oauthbearer: scopes that the issuer is asked for, with spaces between.',
    expected: 'scopes',
  }),
  audience: text({
    description: 'oauthbearer: the audience that the issuer is asked for, where it needs one.',
    expected: 'an audience',
  }),
  extensions: key(
    {
      description:
        'oauthbearer: sent beside the token, for brokers that serve several clusters, such as `logicalCluster` and `identityPoolId`.',
    },
    {
      schema: Type.Record(Type.String({ pattern: '^[!-~ ]+$' })),
      expected: 'an object of texts by name, names of letters',
      range: 'an object of texts',
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
    description:
      'aws-msk-iam: the region of the cluster. Credentials come from where Amazon’s clients look for them.',
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
      'How exposures are written: JSON, or Avro, Protobuf or JSON Schema as a schema registry’s clients frame them. `auto` goes by each record’s frame, and reads JSON where there is none.',
    ...FORMAT_OF,
  }),
  interactions: oneOf(FORMATS, {
    description: 'The same of interactions.',
    ...FORMAT_OF,
  }),
} as const;
/** Names are letters by RFC 7628, and `auth` is the token itself. */
function checkedExtensions(written: unknown): Readonly<Record<string, string>> {
  for (const name of Object.keys(written as object)) {
    if (/^[a-zA-Z]+$/.test(name) && name !== 'auth') continue;
    throw new RangeError(
      `expected names of letters other than auth, found ${JSON.stringify(name)}`,
    );
  }
  return written as Readonly<Record<string, string>>;
}

/** The cluster, its topics, and how they are read. */
export const KAFKA = ofCommands(['serve', 'intake', 'export'], {
  brokers: key(
    {
      description: 'Brokers of the cluster, `host:port`.',
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
    description:
      'Consumer group, and the name of this client for the broker. Readers of one group divide the partitions.',
    state: {
      effect: 'reset',
      how: 'Each group has state of its own: nothing is lost under the other name.',
    },
    expected: 'some text',
    default: 'unskew',
  }),
  topics: {
    exposures: text({
      description: 'Topic of exposures. It must exist, unless an intake writes it.',
      commands: ['serve', 'intake'],
      state: {
        effect: 'refused',
        how: 'State goes with the offsets of its topics.',
      },
      ...TOPIC,
      default: 'unskew.exposures',
    }),
    interactions: text({
      description:
        'Topic of interactions. It must exist, with as many partitions, unless an intake writes it.',
      state: {
        effect: 'refused',
        how: 'State goes with the offsets of its topics.',
      },
      ...TOPIC,
      default: 'unskew.interactions',
    }),
    deadLetter: text({
      description: 'Topic for refused events.',
      commands: ['serve', 'intake'],
      ...TOPIC,
      default: 'unskew.dead-letter',
    }),
  },
  formats: group(FORMAT_FIELDS, {
    description: 'How the events of each topic are written.',
    ...FORMAT_COMMANDS,
  }),
  start: oneOf(['earliest', 'latest'], {
    description: 'Where reading of a partition starts that has no checkpoint.',
    commands: ['serve', 'intake'],
    default: 'earliest',
  }),
  ssl: yesOrNo({
    description: 'TLS to the broker.',
    default: false,
  }),
  tls: group(TLS_FIELDS, {
    description:
      'The files of TLS: by what the broker is believed, and what this client shows. They are taken with `kafka.ssl` alone.',
  }),
  sasl: group(SASL_FIELDS, {
    description:
      'How this client logs in: the mechanism with what it asks for, such as `{mechanism: scram-sha-512, username: unskew, password: …}`. Without it: not at all.',
  }),
  sessionTimeout: duration({
    description:
      'A process that is silent for longer is taken for dead. The broker has a least value, 6s by default. A session whose fetches get no answer for three times as long, while the brokers answer others, is replaced by a new one; after three in a row the process ends with exit code 1, so that it is restarted.',
    commands: ['serve', 'intake'],
    least: '1ms',
    default: '30s',
  }),
  maxBytesPerPartition: size({
    description: 'Largest fetch for one partition.',
    default: '1MiB',
  }),
  maxUnpacked: size({
    description:
      'Most bytes that one compressed batch may unpack to. The records of a larger batch, or of one with more than 100,000 records, are refused and counted. One fetch response may unpack to twice as much; the rest waits.',
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
    fault('kafka.ssl', 'expected true, as kafka.tls is given');
  }
  if (tls.certificate !== undefined && tls.key === undefined) {
    fault('kafka.tls.key', 'expected, as kafka.tls.certificate is given');
  }
  if (tls.key !== undefined && tls.certificate === undefined) {
    fault('kafka.tls.certificate', 'expected, as kafka.tls.key is given');
  }
  if (tls.keyPassphrase !== undefined && tls.key === undefined) {
    fault('kafka.tls.keyPassphrase', 'has no kafka.tls.key to open');
  }
}

type SaslKeys = Complete<typeof SASL_FIELDS>;
type SaslName = Exclude<keyof SaslKeys, 'mechanism'>;
type Mechanism = (typeof MECHANISMS)[number];

const LOGIN: readonly SaslName[] = ['username', 'password'];
const TOKENS: readonly SaslName[] = ['token', 'tokenFile', 'tokenUrl'];
const OF_ISSUER: readonly SaslName[] = ['clientId', 'clientSecret', 'scope', 'audience'];
/** What each mechanism needs, and what it takes besides. */
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
      fault(`kafka.sasl.${name}`, `has no effect by ${mechanism}`);
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

const expectedAs = (what: string) => `expected, as ${what} is given`;

/** What the broker is shown, by mechanism: each with all that it needs. */
export type Login =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly source: TokenSource;
      /** Sent beside the token, for brokers that serve several clusters. */
      readonly extensions: Readonly<Record<string, string>>;
    }
  | {
      readonly mechanism: 'aws-msk-iam';
      readonly region: string;
    };

/** Where a bearer's token comes from. */
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

/** An issuer of tokens that knows this client by an id and a secret. */
export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  readonly audience?: string;
}

/**
 * The keys of `kafka.sasl` as one of the mechanisms; undefined without any.
 *
 * @param sasl keys that the rules hold for (`checkKafka`).
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
