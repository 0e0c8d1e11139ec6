import type { Command } from 'commander';
import type { ProgramContext } from '../program-context.js';
import { wholeNumber } from './arguments.js';
import { addSettings, settingsOf } from './settings.js';

interface DoctorFlags {
  readonly brokers?: string;
  readonly registry?: string;
  readonly topics?: readonly string[];
  readonly files?: readonly string[];
  readonly sample: number;
  readonly out?: string;
}

/** `doctor`: topics or files of unknown shape in, findings and a configuration out. */
export function addDoctor(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .option('--brokers <host:port,…>', 'brokers to ask; else kafka.brokers')
    .option('--registry <url>', 'schema registry; else registry.url')
    .option('--topics <topics...>', 'topics to look at; else all that are not internal')
    .option('--files <files...>', 'event files (NDJSON) to look at instead')
    .option(
      '--sample <number>',
      'newest records of each partition, or first lines of each file',
      wholeNumber(1, 100_000),
      200,
    )
    .option('--out <file>', 'write a configuration that reads them; the file must not exist');
  addSettings(command).action(async (flags: DoctorFlags) => {
    const { brokers, registry, topics = [], files = [], sample, out } = flags;
    const given = {
      ...env,
      ...(brokers === undefined ? {} : { UNSKEW_KAFKA_BROKERS: brokers }),
      ...(registry === undefined ? {} : { UNSKEW_REGISTRY_URL: registry }),
    };
    const { config } = await settingsOf(command, given);
    await bodies.doctor({ config, topics, files, sample, out }, io);
  });
}
