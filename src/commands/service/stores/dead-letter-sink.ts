import { FileDeadLetters } from '../../../adapters/files/dead-letters.js';
import { TopicDeadLetters } from '../../../adapters/kafka/dead-letters.js';
import type { KafkaConnectionOptions } from '../../../adapters/kafka/options.js';
import { KafkaWriter } from '../../../adapters/kafka/writer.js';
import type { Config } from '../../../config.js';
import type { DeadLetterSink } from '../../../stream/ports.js';

/** Where refused events go; undefined: they are counted only. */
export function deadLetterSink(
  { deadLetters, kafka }: Config,
  connection: KafkaConnectionOptions,
): DeadLetterSink | undefined {
  if (deadLetters.to === 'none') return undefined;
  if (deadLetters.to === 'file') return new FileDeadLetters(deadLetters.file!);
  return new TopicDeadLetters(new KafkaWriter(connection), kafka.topics.deadLetter);
}
