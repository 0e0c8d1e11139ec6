import { RegistryClient } from '../../src/adapters/registry/client.js';
import { registerSchema } from '../support/registry/register-schema.js';
import { addressOf } from '../support/shared/address-of.js';
import { schemaRegistryContract } from './schema-registry.js';

schemaRegistryContract('Apicurio', async () => {
  const url = await addressOf('registry');
  return {
    registry: new RegistryClient({ url, timeoutMs: 20_000 }),
    register: (subject, schema) => registerSchema(url, subject, schema),
    close: async () => {},
  };
});
