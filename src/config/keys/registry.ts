import type { Complete, Report } from '../key.js';
import { group, text } from '../kinds.js';
import type { INTAKE } from './intake.js';
import type { KAFKA } from './kafka.js';

const PEM = 'the path of a PEM file';

const FIELDS = {
  url: text({
    description: 'Address of the schema registry. Required if any topic is not JSON.',
    pattern: '^https?://[^\\s@]+$',
    expected: 'an http or https URL without a user',
  }),
  username: text({
    description: 'User for basic authentication.',
    expected: 'a user name',
  }),
  password: text({
    description: 'Password for basic authentication; never printed.',
    expected: 'a password',
    secret: true,
  }),
  token: text({
    description: 'Bearer token, instead of user and password; never printed.',
    expected: 'a token',
    secret: true,
  }),
  ca: text({
    description: 'Certificate authorities to trust. Not given: those of the system.',
    expected: PEM,
  }),
  certificate: text({
    description: 'Client certificate.',
    expected: PEM,
  }),
  key: text({
    description: 'Private key of `registry.certificate`.',
    expected: PEM,
  }),
} as const;

/** Keys of `registry`: the schema registry of events that start with a schema id. */
export const REGISTRY = group(FIELDS, {
  description: 'Schema registry, and credentials for it.',
  commands: ['serve', 'intake', 'export'],
});

export function checkRegistry(
  { url, username, password, token, certificate, key }: Complete<typeof FIELDS>,
  { formats }: Pick<Complete<typeof KAFKA>, 'formats'>,
  { sources }: Pick<Complete<typeof INTAKE>, 'sources'>,
  fault: Report,
): void {
  const source = sources.find(({ format }) => format !== 'json');
  if (url === undefined && source !== undefined) {
    const topic = source.topics[0];
    const expected = `expected the address of a registry, because ${topic} is ${source.format}`;
    fault('registry.url', expected);
  }
  const framed = Object.entries(formats).find(([, format]) => format !== 'json');
  if (url === undefined && framed !== undefined) {
    const [kind, format] = framed;
    fault(
      'registry.url',
      `expected the address of a registry, because kafka.formats.${kind} is ${format}`,
    );
  }
  if ((username === undefined) !== (password === undefined)) {
    fault('registry.username', 'expected both registry.username and registry.password, or none');
  }
  if (token !== undefined && username !== undefined) {
    fault('registry.token', 'expected a token or a user and password, found both');
  }
  if ((certificate === undefined) !== (key === undefined)) {
    fault('registry.certificate', 'expected both registry.certificate and registry.key, or none');
  }
}
