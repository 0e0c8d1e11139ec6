import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import type {
  ProtobufField,
  ProtobufMessage,
  ProtobufScalar,
  ProtobufTree,
  ProtobufType,
} from '../../events/formats/schema.js';

interface FileDescriptor {
  readonly package?: string;
}

interface ProtobufFile {
  readonly package: string;
  /** Text of the `.proto` file; undefined if the schema was registered as a descriptor. */
  readonly text: string | undefined;
  readonly descriptor: FileDescriptor | undefined;
}

/** Well-known `google/protobuf/….proto` files that schemas import without a reference. */
const KNOWN = ['timestamp', 'duration', 'wrappers', 'struct', 'any', 'empty', 'field_mask'];

/**
 * Parse the message types of a Protobuf schema, in the order of its file.
 *
 * @param text  a `.proto` file, or a FileDescriptorProto in base64, as some clients register it
 * @param references  the files that it imports, each in either form
 * @throws Error if one of them is not such a file, or a reference is missing
 */
export function protobufSchema(text: string, references: readonly string[]): ProtobufTree[] {
  const file = fileOf(text);
  const files = [...references.map(fileOf), file];
  const root = rootOf(files);
  for (const name of KNOWN) {
    const { nested } = protobuf.common.get(`google/protobuf/${name}.proto`) ?? {};
    const isThere = root.lookup(`google.protobuf.${FIRST_OF[name]}`) !== null;
    if (nested !== undefined && !isThere) {
      root.addJSON(nested);
    }
  }
  root.resolveAll();
  // The file alone shows which messages are its own, and their order.
  const own = rootOf([file]);
  const scope = file.package === '' ? own : own.lookup(file.package);
  const messages = new Messages();
  return treesOf(scope, (name) => messages.of(root.lookupType(name)));
}

const FIRST_OF: Readonly<Record<string, string>> = {
  timestamp: 'Timestamp',
  duration: 'Duration',
  wrappers: 'StringValue',
  struct: 'Struct',
  any: 'Any',
  empty: 'Empty',
  field_mask: 'FieldMask',
};

function fileOf(text: string): ProtobufFile {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) {
    const { package: name = '' } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
    return {
      package: name,
      text,
      descriptor: undefined,
    };
  }
  const decoded = descriptor.FileDescriptorProto.decode(Buffer.from(text, 'base64'));
  const found = decoded as unknown as FileDescriptor;
  return {
    package: found.package ?? '',
    text: undefined,
    descriptor: found,
  };
}

function rootOf(files: readonly ProtobufFile[]): protobuf.Root {
  const file = files.flatMap((each) => each.descriptor ?? []);
  const { fromDescriptor } = protobuf.Root as unknown as {
    fromDescriptor(
      set: { file: readonly FileDescriptor[] },
      options: { keepCase: boolean },
    ): protobuf.Root;
  };
  const root = file.length > 0 ? fromDescriptor({ file }, { keepCase: true }) : new protobuf.Root();
  for (const { text } of files) {
    if (text !== undefined) {
      protobuf.parse(text, root, { keepCase: true });
    }
  }
  return root;
}

function treesOf(
  scope: protobuf.ReflectionObject | null,
  messageOf: (name: string) => ProtobufMessage,
): ProtobufTree[] {
  if (!(scope instanceof protobuf.Namespace)) return [];
  return scope.nestedArray.flatMap((own) =>
    own instanceof protobuf.Type
      ? [
          {
            message: messageOf(own.fullName),
            nested: treesOf(own, messageOf),
          },
        ]
      : [],
  );
}

class Messages {
  readonly #known = new Map<protobuf.Type, ProtobufMessage>();

  of(type: protobuf.Type): ProtobufMessage {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const fields = new Map<number, ProtobufField>();
    const message = {
      name: type.fullName.replace(/^\./, ''),
      fields,
    };
    this.#known.set(type, message);
    for (const field of type.fieldsArray) {
      fields.set(field.id, this.#field(field.resolve()));
    }
    return message;
  }

  #field(field: protobuf.Field): ProtobufField {
    const type = this.#type(field);
    const { name, jsonName = name, repeated: isRepeated } = field;
    if (field.delimited) throw new Error(`${name} is a group, and groups are not supported`);
    const isOptional = Boolean(field.hasPresence) || Boolean(field.partOf);
    const hasPresence = isOptional || type.kind === 'message';
    const common = {
      name,
      jsonName,
      type,
      isRepeated,
      hasPresence,
    };
    if (!(field instanceof protobuf.MapField)) return common;
    return {
      ...common,
      key: field.keyType as ProtobufScalar,
    };
  }

  #type({ resolvedType, type }: protobuf.Field): ProtobufType {
    if (resolvedType instanceof protobuf.Enum) {
      const names = new Map(Object.entries(resolvedType.values).map(([name, n]) => [n, name]));
      return {
        kind: 'enum',
        names,
      };
    }
    if (resolvedType instanceof protobuf.Type) {
      return {
        kind: 'message',
        of: this.of(resolvedType),
      };
    }
    return { kind: type as ProtobufScalar };
  }
}
