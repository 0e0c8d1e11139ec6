import { startOwnRegistry } from '../../deploy/services.mjs';
import { RegistryClient } from '../../src/adapters/registry/client.js';
import { registerSchema } from '../support/registry/register-schema.js';
import { schemaRegistryContract } from './schema-registry.js';

schemaRegistryContract('Apicurio', async () => {
  const own = await startOwnRegistry();
  return {
    registry: new RegistryClient({ url: own.url, timeoutMs: 20_000 }),
    register: (subject, schema) => registerSchema(own.url, subject, schema),
    close: () => own.stop(),
  };
});
