/**
 * Known schemas, by the key of a frame. They are loaded before events are decoded, so the registry
 * does not have a schema that is missing here.
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

/** Type of an Avro schema, with names resolved; recursive types give a graph. */
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
  /** Aliases, by which a mapping can also refer to the field. */
  readonly aliases: readonly string[];
  readonly type: AvroNode;
}

/** Type of a Protobuf message, with its fields by number. */
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
  /** JSON name of the field, by which a mapping can also refer to it. */
  readonly jsonName: string;
  readonly type: ProtobufType;
  readonly isRepeated: boolean;
  /** Whether an absent value can be distinguished from the default value. */
  readonly hasPresence: boolean;
  /** For a map: type of its keys; `type` is the type of its values. */
  readonly key?: ProtobufScalar;
}

/** A schema of a registry, ready for reading. */
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
  /** A schema of the registry that cannot be used for reading. */
  | {
      readonly type: 'unreadable';
      readonly why: string;
    };

/** A message with the messages declared in it, in file order. */
export interface ProtobufTree {
  readonly message: ProtobufMessage;
  readonly nested: readonly ProtobufTree[];
}
