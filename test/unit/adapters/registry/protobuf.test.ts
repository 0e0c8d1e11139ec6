import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import { describe, expect, it } from 'vitest';
import { protobufSchema } from '../../../../src/adapters/registry/protobuf.js';

const CLICK = `syntax = "proto3"; package shop;
  message Click { string user_id = 1; int64 item_2 = 2; string firstRank = 3;
    string place = 4 [json_name = "shelf"]; }`;

/** The file as Python's client registers it. */
function asDescriptor(text: string): string {
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  const made = root.resolveAll() as unknown as {
    toDescriptor(edition: string): { file: { package: string }[] };
  };
  const file = made.toDescriptor('proto3').file.find((each) => each.package === 'shop')!;
  const bytes = descriptor.FileDescriptorProto.encode(file as never).finish();
  return Buffer.from(bytes).toString('base64');
}

function namesIn(schema: string): string[][] {
  const [tree] = protobufSchema(schema, []);
  return [...tree!.message.fields.values()].map(({ name, jsonName }) => [name, jsonName]);
}

describe('the fields of a message', () => {
  // By protoc's rules: protobuf.dev/programming-guides/json, "Field Representation".
  const names = [
    ['user_id', 'userId'],
    ['item_2', 'item2'],
    ['firstRank', 'firstRank'],
    ['place', 'shelf'],
  ];

  it('have the names of the file and their JSON names', () => {
    expect(namesIn(CLICK)).toEqual(names);
  });

  it('have the same names if the file was registered as a descriptor', () => {
    expect(namesIn(asDescriptor(CLICK))).toEqual(names);
  });
});
