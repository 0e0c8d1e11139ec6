"""Writes records to Kafka by librdkafka, as a file of JSON on standard input asks for.

{"config": {...}, "records": [{"topic", "partition", "key", "value", "headers", "repeat"}]}
The value is base64. Where "config" names a codec, librdkafka packs with it.
"""

import base64
import json
import sys

from confluent_kafka import Producer

job = json.load(sys.stdin)
failures = []


def delivered(error, _message):
    if error is not None:
        failures.append(str(error))


producer = Producer(job["config"])
for record in job["records"]:
    value = base64.b64decode(record["value"])
    more = {name: record[name] for name in ("partition", "key", "headers", "timestamp") if name in record}
    for _ in range(record.get("repeat", 1)):
        while True:
            try:
                producer.produce(record["topic"], value, on_delivery=delivered, **more)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
if producer.flush(60) > 0:
    failures.append("not all records were delivered")
if failures:
    sys.exit(failures[0])
