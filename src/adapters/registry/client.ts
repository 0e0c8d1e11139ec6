import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnskewError } from '../../errors.js';
import type { Schema } from '../../events/formats/schema.js';
import type { SchemaRegistry } from '../../stream/read/schema-preparer.js';
import { avroSchema } from './avro.js';
import { protobufSchema } from './protobuf.js';

export interface RegistryOptions {
  /** Base URL of the API, as for clients of Confluent's registry. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Token for `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** PEM files. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Timeout of one request, ms; 5 s by default. */
  readonly timeoutMs?: number;
}

/**
 * Largest schema id. Ids are signed 32-bit numbers, so bytes with a larger id are not framed for a
 * registry.
 */
const LARGEST_ID = 2 ** 31 - 1;

/**
 * Most attempts at one request. The delay after the first attempt is `FIRST_BACKOFF_MS`, and it
 * doubles after each further attempt.
 */
const TRIES = 3;
const FIRST_BACKOFF_MS = 100;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MOST_REFERENCES = 1000;

interface Stored {
  readonly schema: string;
  readonly type: string;
  readonly references: readonly {
    readonly subject: string;
    readonly version: number;
  }[];
}

/**
 * Client of a schema registry with Confluent's API. It finds a schema by id or GUID, with its
 * references, and caches it without expiry, since the schema of an id never changes.
 */
export class RegistryClient implements SchemaRegistry {
  readonly #base: URL;
  readonly #agent: Agent | undefined;
  readonly #found = new Map<string, Promise<Schema | undefined>>();

  /** @throws UnskewError USAGE if a file of `options` cannot be read */
  constructor(private readonly options: RegistryOptions) {
    this.#base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
    this.#agent = this.#base.protocol === 'https:' ? agentOf(options) : undefined;
  }

  /** Find a schema. Concurrent calls for the same schema share one request. */
  find(key: string): Promise<Schema | undefined> {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#find(key);
    this.#found.set(key, found);
    const forget = () => this.#found.delete(key);
    // A missing schema is not cached, since it may exist later; neither is a failure of the
    // registry.
    found.then((schema) => schema === undefined && forget(), forget);
    return found;
  }

  async #find(key: string): Promise<Schema | undefined> {
    const [kind, name = ''] = key.split(' ');
    if (kind === 'id' && Number(name) > LARGEST_ID) return undefined;
    const path = kind === 'id' ? `schemas/ids/${name}` : `schemas/guids/${guidText(name)}`;
    const stored = await this.#stored(path);
    if (stored === undefined) return undefined;
    const references = new Map<string, string>();
    try {
      await this.#addReferences(stored, references);
      return schemaOf(stored, [...references.values()]);
    } catch (error) {
      if (error instanceof UnskewError) throw error;
      const [why] = (error as Error).message.split('\n', 1);
      return {
        type: 'unreadable',
        why: why ?? '',
      };
    }
  }

  /**
   * Add the schemas that a schema refers to. Each added schema comes after the schemas that it
   * refers to itself.
   */
  async #addReferences({ references }: Stored, into: Map<string, string>): Promise<void> {
    for (const { subject, version } of references) {
      const name = `${subject}/${version}`;
      if (into.has(name)) continue;
      if (into.size >= MOST_REFERENCES) throw new Error(`more than ${MOST_REFERENCES} references`);
      // The placeholder ends the recursion of schemas that refer to themselves.
      into.set(name, '');
      const path = `subjects/${encodeURIComponent(subject)}/versions/${version}`;
      const stored = await this.#stored(path);
      if (stored === undefined)
        throw new Error(`the schema refers to ${name}, which does not exist`);
      await this.#addReferences(stored, into);
      into.delete(name);
      into.set(name, stored.schema);
    }
  }

  async #stored(path: string): Promise<Stored | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#get(path);
        const isNameless = answer.status === 404 && path.startsWith('schemas/guids/');
        if (isNameless && (await this.#isRegistry())) return undefined;
        return storedOf(answer);
      } catch (error) {
        const away = error instanceof Away ? error : new Away(wordsOf(error));
        if (tries === TRIES || !away.mayPass) {
          throw new UnskewError('BROKER', `the schema registry ${this.#base.host} ${away.message}`);
        }
        await sleep(FIRST_BACKOFF_MS * 2 ** (tries - 1));
      }
    }
  }

  /**
   * Whether the server is a schema registry at all. This is checked when the server does not find a
   * GUID. That may be normal: a registry may not support GUIDs, and bytes that look like a GUID may
   * be anything.
   */
  async #isRegistry(): Promise<boolean> {
    const { status, body } = await this.#get('schemas/types');
    return status === 200 && body.trimStart().startsWith('[');
  }

  #get(path: string): Promise<Answer> {
    const url = new URL(path, this.#base);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const { timeoutMs = 5000 } = this.options;
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const asked = send(
        url,
        {
          headers: this.#headers(),
          signal,
          ...(this.#agent && { agent: this.#agent }),
        },
        (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_ANSWER_BYTES) {
              asked.destroy(new Away(`answers with more than ${MAX_ANSWER_BYTES} bytes`));
            } else {
              chunks.push(chunk);
            }
          });
          answer.on('error', reject);
          answer.on('end', () => {
            resolve({
              status: answer.statusCode ?? 0,
              body: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      asked.on('error', (error) => {
        reject(signal.aborted ? new Away(`does not answer within ${timeoutMs} ms`) : error);
      });
      asked.end();
    });
  }

  #headers(): Record<string, string> {
    const { username, password, token } = this.options;
    const accept = 'application/vnd.schemaregistry.v1+json, application/json';
    if (token !== undefined) {
      return {
        accept,
        authorization: `Bearer ${token}`,
      };
    }
    if (username === undefined) return { accept };
    const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
    return {
      accept,
      authorization: `Basic ${pair}`,
    };
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Failure of the registry. The message continues a sentence whose subject is the name of the
 * registry.
 */
class Away extends Error {
  readonly mayPass: boolean;

  constructor(message: string, mayPass = true) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** HTTP statuses by which registries reject an invalid id or name. */
const NO_NAME: ReadonlySet<number> = new Set([400, 422]);

/**
 * Read a schema from an answer. Undefined if the registry says that the schema does not exist, or
 * that the id is not valid (as for bytes that are not a frame). A wrong path is an error instead.
 */
function storedOf({ status, body }: Answer): Stored | undefined {
  const answer = jsonOf(body);
  if (status === 200 && typeof answer['schema'] === 'string') {
    const { schema, schemaType, references } = answer;
    const type = typeof schemaType === 'string' ? schemaType : 'AVRO';
    return {
      schema,
      type,
      references: Array.isArray(references) ? references : [],
    };
  }
  const hasCode = answer['error_code'] !== undefined;
  if (status === 404 && String(answer['error_code']).startsWith('404')) return undefined;
  if (NO_NAME.has(status) && hasCode) return undefined;
  if (status === 401 || status === 403) {
    throw new Away(`refuses the credentials (${status})`, false);
  }
  if (status === 200 || status === 404) {
    throw new Away(
      `does not answer like a schema registry (${status}): check that registry.url is complete`,
      false,
    );
  }
  throw new Away(`answers with ${status}`, status >= 500 || status === 429);
}

function jsonOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `cannot be reached: ${code ?? message}`;
}

function schemaOf({ schema, type }: Stored, references: readonly string[]): Schema {
  switch (type) {
    case 'AVRO':
      return {
        type: 'avro',
        root: avroSchema(schema, references),
      };
    case 'PROTOBUF':
      return {
        type: 'protobuf',
        messages: protobufSchema(schema, references),
      };
    case 'JSON':
      return { type: 'json_schema' };
    default:
      return {
        type: 'unreadable',
        why: `schemas of type ${type} are not supported`,
      };
  }
}

function agentOf({ ca, certificate, key }: RegistryOptions): Agent {
  return new Agent({
    keepAlive: true,
    ...(ca !== undefined && { ca: pem(ca, 'ca') }),
    ...(certificate !== undefined && { cert: pem(certificate, 'certificate') }),
    ...(key !== undefined && { key: pem(key, 'key') }),
  });
}

function pem(path: string, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UnskewError('USAGE', `cannot read registry.${name}: ${(error as Error).message}`);
  }
}

function guidText(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
