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

/** What an Avro schema says of its bytes, with names resolved: a tree, or a graph where it recurs. */
export type AvroNode =
  | {
      readonly kind: AvroPrimitive;
      readonly logical?: Logical;
    }
  | {
      readonly kind: 'fixed';
      readonly size: number;
      readonly logical?: Logical;
    }
  | {
      readonly kind: 'enum';
      readonly symbols: readonly string[];
    }
  | {
      readonly kind: 'array' | 'map';
      readonly of: AvroNode;
    }
  | {
      readonly kind: 'union';
      readonly of: readonly AvroNode[];
    }
  | {
      readonly kind: 'record';
      readonly fields: readonly AvroField[];
    };

export type AvroPrimitive =
  | 'null'
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'bytes'
  | 'string';

export type Logical =
  | {
      readonly is: 'timestamp';
      readonly perMs: number;
    }
  | {
      readonly is: 'decimal';
      readonly scale: number;
    }
  | { readonly is: 'uuid' };

export interface AvroField {
  readonly name: string;
  /** Names that it had; a mapping finds it under each of them. */
  readonly aliases: readonly string[];
  readonly type: AvroNode;
}

/** A message of Protobuf, its fields by number. */
export interface ProtobufMessage {
  readonly name: string;
  readonly fields: ReadonlyMap<number, ProtobufField>;
}

export type ProtobufScalar =
  | 'double'
  | 'float'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'sint32'
  | 'sint64'
  | 'fixed32'
  | 'fixed64'
  | 'sfixed32'
  | 'sfixed64'
  | 'bool'
  | 'string'
  | 'bytes';

export type ProtobufType =
  | { readonly kind: ProtobufScalar }
  | {
      readonly kind: 'enum';
      readonly names: ReadonlyMap<number, string>;
    }
  | {
      readonly kind: 'message';
      readonly of: ProtobufMessage;
    };

export interface ProtobufField {
  readonly name: string;
  /** Its name in JSON, which a mapping may use as well. */
  readonly jsonName: string;
  readonly type: ProtobufType;
  readonly isRepeated: boolean;
  /** Whether its absence can be distinguished from its default. */
  readonly hasPresence: boolean;
  /** Of a map: what its keys are; `type` is what its values are. */
  readonly key?: ProtobufScalar;
}

/** A schema of a registry, ready to be read by. */
export type Schema =
  | {
      readonly type: 'avro';
      readonly root: AvroNode;
    }
  | {
      readonly type: 'protobuf';
      readonly messages: readonly ProtobufTree[];
    }
  | { readonly type: 'json_schema' }
  /** The registry has it, and it is none that can be read by. */
  | {
      readonly type: 'unreadable';
      readonly why: string;
    };

/** A message with those that are declared in it, in the order of the file. */
export interface ProtobufTree {
  readonly message: ProtobufMessage;
  readonly nested: readonly ProtobufTree[];
}
