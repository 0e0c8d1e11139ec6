import type { Schema } from '../events/formats/schema.js';

/** Where the schemas are that producers write by. */
export interface SchemaRegistry {
  /**
   * The schema that a frame names, with all that it refers to.
   *
   * @param key  `id 7`, or `guid` and 32 hexadecimal digits
   * @returns undefined if the registry says that it has none of that name
   * @throws UnskewError BROKER if it cannot be asked, or does not answer as a registry
   */
  find(key: string): Promise<Schema | undefined>;
}
