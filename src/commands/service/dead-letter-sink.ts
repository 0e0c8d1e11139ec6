import { FileDeadLetters } from '../../adapters/files/dead-letters.js';
import { TopicDeadLetters } from '../../adapters/kafka/dead-letters.js';
import type { KafkaConnectionOptions } from '../../adapters/kafka/options.js';
import { KafkaWriter } from '../../adapters/kafka/writer.js';
import type { Config } from '../../config.js';
import { Patience } from '../../stream/patience.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import type { PatientSink } from './dead-letter-queue.js';

const NO_BYTES = new Uint8Array(0);

/**
 * Sink that withholds the content of rejected events, since it may identify people: only reason,
 * topic, partition and offset are written.
 */
class WithheldLetters implements DeadLetterSink {
  /** @param sink sink that the letters are passed on to; closed together with this one */
  constructor(private readonly sink: DeadLetterSink) {}

  write(letters: readonly DeadLetter[]): Promise<void> {
    return this.sink.write(
      letters.map(({ value, ...letter }) => ({
        ...letter,
        detail: `withheld, ${value.length} bytes`,
        value: NO_BYTES,
      })),
    );
  }

  close(): Promise<void> {
    return this.sink.close();
  }
}

/** Open the configured sink of rejected events; undefined if they are only counted. */
export function deadLetterSink(
  { deadLetters, kafka }: Config,
  connection: KafkaConnectionOptions,
  patience: Patience,
): DeadLetterSink | undefined {
  const { to, payload } = deadLetters;
  if (to === 'none') return undefined;
  const sink =
    to === 'topic'
      ? new TopicDeadLetters(new KafkaWriter(connection, patience), kafka.topics.deadLetter)
      : new FileDeadLetters(to, patience);
  return payload === 'withhold' ? new WithheldLetters(sink) : sink;
}

/** Open the configured sink of rejected events, together with the retries that it uses. */
export function openDeadLetters(
  config: Config,
  connection: KafkaConnectionOptions,
): PatientSink | undefined {
  const patience = new Patience();
  const sink = deadLetterSink(config, connection, patience);
  return sink && { sink, patience };
}
