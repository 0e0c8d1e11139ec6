import { FileDeadLetters } from '../../../adapters/files/dead-letters.js';
import { TopicDeadLetters } from '../../../adapters/kafka/dead-letters.js';
import type { KafkaConnectionOptions } from '../../../adapters/kafka/options.js';
import { KafkaWriter } from '../../../adapters/kafka/writer.js';
import type { Config } from '../../../config.js';
import type { DeadLetterSink } from '../../../stream/ports.js';
import { WithheldLetters } from './withheld-letters.js';

/** Where refused events go; undefined: they are counted only. */
export function deadLetterSink(
  { deadLetters, kafka }: Config,
  connection: KafkaConnectionOptions,
): DeadLetterSink | undefined {
  const { to, payload } = deadLetters;
  if (to === 'none') return undefined;
  const sink =
    to === 'topic'
      ? new TopicDeadLetters(new KafkaWriter(connection), kafka.topics.deadLetter)
      : new FileDeadLetters(to);
  return payload === 'withhold' ? new WithheldLetters(sink) : sink;
}
