import avro from 'avsc';
import type { AvroField, AvroNode, Logical } from '../../events/formats/schema.js';

/**
 * Logical type that does not convert values. It stores what its attributes mean, since avsc itself
 * would drop them.
 */
class Kept extends avro.types.LogicalType {
  logical: Logical = { is: 'uuid' };

  protected override _fromValue(value: unknown): unknown {
    return value;
  }
  protected override _toValue(value: unknown): unknown {
    return value;
  }
}

function keeping(logicalOf: (attributes: { readonly scale?: number }) => Logical) {
  return class extends Kept {
    constructor(attributes: avro.Schema, options: unknown) {
      super(attributes, options);
      this.logical = logicalOf(attributes as { scale?: number });
    }
  };
}

const timestamp = (perMs: number) =>
  keeping(() => ({
    is: 'timestamp',
    perMs,
  }));

const LOGICAL = {
  'timestamp-millis': timestamp(1),
  'timestamp-micros': timestamp(1e3),
  'timestamp-nanos': timestamp(1e6),
  'local-timestamp-millis': timestamp(1),
  'local-timestamp-micros': timestamp(1e3),
  decimal: keeping(({ scale = 0 }) => ({
    is: 'decimal',
    scale,
  })),
  uuid: keeping(() => ({ is: 'uuid' })),
};

/**
 * Parse an Avro schema to a tree.
 *
 * @param references  texts of the schemas that it refers to by name, in order of dependency
 * @throws Error of avsc if one of the texts is not a schema
 */
export function avroSchema(text: string, references: readonly string[]): AvroNode {
  const options = {
    registry: {},
    logicalTypes: LOGICAL,
    wrapUnions: true,
  };
  for (const reference of references) {
    parsed(reference, options);
  }
  return new Tree().of(parsed(text, options));
}

/** Parse a schema. A primitive type may be a bare word, as in the answers of some registries. */
function parsed(text: string, options: object): avro.Type {
  const schema: unknown = /^[a-z]+$/.test(text) ? text : JSON.parse(text);
  return avro.Type.forSchema(schema as avro.Schema, options as avro.ForSchemaOptions);
}

class Tree {
  readonly #known = new Map<avro.Type, AvroNode>();

  of(type: avro.Type): AvroNode {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    if (type instanceof avro.types.RecordType) {
      const fields: AvroField[] = [];
      this.#known.set(type, {
        kind: 'record',
        fields,
      });
      for (const field of type.fields) {
        fields.push({
          name: field.name,
          aliases: field.aliases,
          type: this.of(field.type),
        });
      }
    } else if (type instanceof Kept) {
      this.#known.set(type, this.#logical(type));
    } else {
      this.#known.set(type, this.#other(type));
    }
    return this.#known.get(type)!;
  }

  #logical(type: Kept): AvroNode {
    const under = this.of(type.underlyingType);
    const carries = under.kind === 'fixed' || 'logical' in under || PRIMITIVES.has(under.kind);
    return carries
      ? ({
          ...under,
          logical: type.logical,
        } as AvroNode)
      : under;
  }

  #other(type: avro.Type): AvroNode {
    const { types } = avro;
    if (type instanceof types.ArrayType) {
      return {
        kind: 'array',
        of: this.of(type.itemsType),
      };
    }
    if (type instanceof types.MapType) {
      return {
        kind: 'map',
        of: this.of(type.valuesType),
      };
    }
    if (type instanceof types.EnumType) {
      return {
        kind: 'enum',
        symbols: type.symbols,
      };
    }
    if (type instanceof types.FixedType) {
      return {
        kind: 'fixed',
        size: type.size,
      };
    }
    if (type instanceof types.WrappedUnionType || type instanceof types.UnwrappedUnionType) {
      return {
        kind: 'union',
        of: type.types.map((branch) => this.of(branch)),
      };
    }
    const kind = type.typeName.replace('abstract:', '');
    if (!PRIMITIVES.has(kind)) throw new Error(`the type ${kind} is not supported`);
    return { kind } as AvroNode;
  }
}

const PRIMITIVES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'bytes',
  'string',
]);
