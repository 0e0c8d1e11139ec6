import { RegistryClient } from '../../src/adapters/registry/client.js';
import { registerSchema } from '../support/registry/register-schema.js';
import { sharedRegistry } from '../support/registry/shared-registry.js';
import { schemaRegistryContract } from './schema-registry.js';

schemaRegistryContract('Apicurio', async () => {
  const url = await sharedRegistry();
  return {
    registry: new RegistryClient({ url, timeoutMs: 20_000 }),
    register: (subject, schema) => registerSchema(url, subject, schema),
    close: async () => {},
  };
});
