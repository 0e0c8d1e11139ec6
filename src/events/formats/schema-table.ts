import type { Schema } from './schema.js';

/**
 * The schemas that are known, by what frames say of them. One that is asked for and is not here is
 * unknown to the registry: they are found before the records are decoded.
 */
export class SchemaTable {
  readonly #known = new Map<string, Schema>();

  add(key: string, schema: Schema): void {
    this.#known.set(key, schema);
  }

  get(key: string): Schema | undefined {
    return this.#known.get(key);
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }
}
