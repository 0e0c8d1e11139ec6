import { FORMATS } from '../../events/formats/framed.js';
import type { Complete, Report } from '../key.js';
import { duration, key, oneOf, size, text, yesOrNo } from '../kinds.js';
import { Type } from '../schema.js';

const TOPIC = {
  pattern: '^[a-zA-Z0-9._-]{1,249}$',
  expected: 'a topic name of letters, digits, dots, dashes and underscores',
};

const BROKER = Type.String({
  pattern: '^[^\\s,:]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5}$',
});

const SASL = {
  mechanism: oneOf(['plain', 'scram-sha-256', 'scram-sha-512'], {
    description:
      'How the broker authenticates this client. All three SASL keys are given, or none.',
    commands: ['serve', 'export'],
  }),
  username: text({
    description: 'SASL user.',
    commands: ['serve', 'export'],
    expected: 'a user name',
  }),
  password: text({
    description: 'SASL password; never printed.',
    commands: ['serve', 'export'],
    expected: 'a password',
    secret: true,
  }),
};

const FORMAT_OF = {
  commands: ['serve', 'export'],
  default: 'json',
} as const;

/** The cluster, its topics, and how they are read. */
export const KAFKA = {
  brokers: key(
    {
      description: 'Brokers of the cluster, `host:port`.',
      commands: ['serve', 'export'],
      default: ['127.0.0.1:9092'],
    },
    {
      schema: Type.Array(BROKER, { minItems: 1 }),
      expected: 'a list of host:port',
      unit: null,
      range: 'host:port, at least one',
      suffix: '',
      argument: '<host:port>',
      examples: [['kafka-1:9092', 'kafka-2:9092']],
      decode: (written) => written as readonly string[],
    },
  ),
  clientId: text({
    description: 'Name of this client for the broker.',
    commands: ['serve', 'export'],
    expected: 'some text',
    default: 'unskew',
  }),
  groupId: text({
    description: 'Consumer group. Workers of one group divide the partitions.',
    commands: ['serve', 'export'],
    state: {
      effect: 'reset',
      how: 'Each group has state of its own: nothing is lost under the other name.',
    },
    expected: 'some text',
    default: 'unskew',
  }),
  topics: {
    exposures: text({
      description: 'Topic of exposures. It must exist.',
      commands: ['serve'],
      state: { effect: 'refused', how: 'State goes with the offsets of its topics.' },
      ...TOPIC,
      default: 'unskew.exposures',
    }),
    interactions: text({
      description: 'Topic of interactions. It must exist, with as many partitions.',
      commands: ['serve', 'export'],
      state: { effect: 'refused', how: 'State goes with the offsets of its topics.' },
      ...TOPIC,
      default: 'unskew.interactions',
    }),
    deadLetter: text({
      description: 'Topic for refused events.',
      commands: ['serve'],
      ...TOPIC,
      default: 'unskew.dead-letter',
    }),
  },
  formats: {
    exposures: oneOf(FORMATS, {
      description:
        'How exposures are written: JSON, or Avro, Protobuf or JSON Schema as a schema registry’s clients frame them. `auto` goes by each record’s frame, and reads JSON where there is none.',
      ...FORMAT_OF,
    }),
    interactions: oneOf(FORMATS, {
      description: 'The same of interactions.',
      ...FORMAT_OF,
    }),
  },
  start: oneOf(['earliest', 'latest'], {
    description: 'Where reading of a partition starts that has no checkpoint.',
    commands: ['serve'],
    default: 'earliest',
  }),
  ssl: yesOrNo({
    description: 'TLS to the broker.',
    commands: ['serve', 'export'],
    default: false,
  }),
  sasl: SASL,
  connectTimeout: duration({
    description: 'How long the first connection is tried.',
    commands: ['serve', 'export'],
    least: '1ms',
    default: '10s',
  }),
  sessionTimeout: duration({
    description:
      'A worker that is silent for longer is taken for dead. The broker has a least value, 6s by default.',
    commands: ['serve'],
    least: '1ms',
    default: '30s',
  }),
  stuckTimeout: duration({
    description:
      'A session whose fetches get no answer for this long, while the brokers answer others, is replaced by a new one. After three in a row the process ends with exit code 1, so that it is restarted.',
    commands: ['serve'],
    least: '1s',
    default: '90s',
  }),
  maxBytesPerPartition: size({
    description: 'Largest fetch for one partition.',
    commands: ['serve', 'export'],
    default: '1MiB',
  }),
  maxUnpacked: size({
    description:
      'Most bytes that one compressed batch may unpack to. The records of a larger batch, or of one with more than 100,000 records, are refused and counted. One fetch response may unpack to twice as much; the rest waits.',
    commands: ['serve', 'export'],
    default: '64MiB',
  }),
} as const;

export function checkKafka({ topics, sasl }: Complete<typeof KAFKA>, fault: Report): void {
  const { exposures, interactions, deadLetter } = topics;
  const different = 'expected different topics, found';
  if (exposures === interactions) {
    fault('kafka.topics.interactions', `${different} ${interactions} for exposures too`);
  }
  if (deadLetter === exposures || deadLetter === interactions) {
    fault('kafka.topics.deadLetter', `${different} ${deadLetter} for events too`);
  }
  const { mechanism, username, password } = sasl;
  const given = Object.entries({ mechanism, username, password });
  const missing = given.filter(([, value]) => value === undefined).map(([name]) => name);
  if (missing.length === 0 || missing.length === given.length) return;
  for (const name of missing) {
    fault(`kafka.sasl.${name}`, 'expected, as the rest of kafka.sasl is given');
  }
}
