"""Registers a schema and gives values as the registry's own serializers frame them.

{"registry": url, "topic", "kind": "avro" | "protobuf", "schema", "references", "values": [...]}
Of Protobuf the schema is a FileDescriptorProto as JSON, and its first message is written.
Prints a list of base64.
"""

import base64
import json
import sys

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

job = json.load(sys.stdin)
client = SchemaRegistryClient({"url": job["registry"]})
context = SerializationContext(job["topic"], MessageField.VALUE)
kind = job["kind"]
values = job["values"]

if kind == "avro":
    references = [SchemaReference(**each) for each in job.get("references", [])]
    schema = Schema(json.dumps(job["schema"]), "AVRO", references)
    serialize = AvroSerializer(client, schema, conf={"auto.register.schemas": True})
else:
    file = json_format.ParseDict(job["schema"], descriptor_pb2.FileDescriptorProto())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    package = file.package + "." if file.package else ""
    message = message_factory.GetMessageClass(
        pool.FindMessageTypeByName(package + file.message_type[0].name)
    )
    serializer = ProtobufSerializer(message, client, {"use.deprecated.format": False})
    serialize = lambda value, at: serializer(json_format.ParseDict(value, message()), at)

framed = [base64.b64encode(serialize(value, context)).decode() for value in values]
json.dump(framed, sys.stdout)
