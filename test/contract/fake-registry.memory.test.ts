import { RegistryClient } from '../../src/adapters/registry/client.js';
import { FakeRegistry } from '../support/registry/fake-registry.js';
import { schemaRegistryContract } from './schema-registry.js';

schemaRegistryContract('the tests', async () => {
  const fake = await FakeRegistry.start();
  let last = 0;
  return {
    registry: new RegistryClient({ url: fake.url, timeoutMs: 5000 }),
    register: async (subject, schema) => {
      const id = ++last;
      fake.schemas.set(`schemas/ids/${id}`, schema);
      fake.schemas.set(`subjects/${subject}/versions/1`, schema);
      return id;
    },
    close: () => fake.stop(),
  };
});
