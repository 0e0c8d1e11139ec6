import { type Command, Option } from 'commander';
import { KEYS } from '../../config/every-key.js';
import { jsonSchema as configSchema } from '../../config/json-schema.js';
import { HTTP } from '../../config/keys/http.js';
import { ROLES } from '../../config/roles.js';
import { rangeText } from '../../config/words.js';
import type { ConfigEntry } from '../../config.js';
import { DEMO_BACKLOG_CYCLES, DEMO_USERS } from '../../simulation/demo-traffic.js';
import { wholeNumber } from './arguments.js';
import type { ProgramContext, ServeFlags } from './bodies.js';
import type { DemoOptions } from './options.js';
import { addSettings, settingsOf } from './settings.js';
import { addDemoFlags, type ServingFlags, servingOf } from './simulation-flags.js';

type DemoFlags = Pick<DemoOptions, 'host' | 'port' | 'seed' | 'users' | 'backlog'> &
  ServingFlags & {
    readonly speed: (typeof SPEEDS)[number];
    readonly plain?: boolean;
    readonly lists?: string;
  };

/** Values of `--speed`, at which a window is a whole number of panes. */
const SPEEDS = ['1', '2', '5', '10'] as const;

interface DoctorFlags {
  readonly brokers?: string;
  readonly registry?: string;
  readonly topics?: readonly string[];
  readonly files?: readonly string[];
  readonly sample: number;
  readonly out?: string;
}

interface ConfigFlags {
  readonly describe?: boolean;
  readonly jsonSchema?: boolean;
}

/** Add `serve`: runs the service. */
export function addServe(command: Command, { io, env, bodies }: ProgramContext): void {
  command.option(
    '--popularity-from <file>',
    'past popularity counts for the first start, if there is no state: Parquet from unskew sql --kind popularity',
  );
  command.addOption(
    new Option(
      '--role <role>',
      'role of this process: read (read events) or tick (compute numbers from what readers read); default: both',
    ).choices(ROLES),
  );
  addSettings(command).action(async ({ popularityFrom, role }: ServeFlags) => {
    const loaded = await settingsOf(command, env);
    const { config, entries } = loaded;
    if (config.export.out !== undefined) {
      const { planOf } = await import('../export/plan.js');
      planOf(config, entries, {
        from: null,
        to: null,
        hasTrain: false,
      });
    }
    await bodies.serve(loaded, io, { popularityFrom, role } as ServeFlags);
  });
}

/** Add `intake`: converts topics of any format to the topics that `serve` reads. */
export function addIntake(command: Command, { io, env, bodies }: ProgramContext): void {
  addSettings(command).action(async () => bodies.intake(await settingsOf(command, env), io));
}

/**
 * Add `doctor`: reads topics or files of unknown format, and reports findings and a configuration.
 */
export function addDoctor(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .option('--brokers <host:port,…>', 'brokers (default: kafka.brokers)')
    .option('--registry <url>', 'schema registry (default: registry.url)')
    .option('--topics <topics...>', 'topics to look at (default: all that are not internal)')
    .option('--files <files...>', 'event files (NDJSON, Parquet, CSV) to look at instead')
    .option(
      '--sample <number>',
      'number of records to read: the newest of each partition, or the first lines or rows of each file',
      wholeNumber(1, 100_000),
      200,
    )
    .option('--out <file>', 'file to write the configuration to, which must not exist');
  addSettings(command).action(async (flags: DoctorFlags) => {
    const { brokers, registry, topics = [], files = [], sample, out } = flags;
    const given = {
      ...env,
      ...(brokers === undefined ? {} : { UNSKEW_KAFKA_BROKERS: brokers }),
      ...(registry === undefined ? {} : { UNSKEW_REGISTRY_URL: registry }),
    };
    const { config } = await settingsOf(command, given);
    await bodies.doctor(
      {
        config,
        topics,
        files,
        sample,
        out,
      },
      io,
    );
  });
}

/** Add `demo`: runs the service on simulated traffic. */
export function addDemo(command: Command, { io, bodies }: ProgramContext): void {
  command
    .option('--host <address>', 'address to listen on', HTTP.host.default as string)
    .option(
      '--port <number>',
      'port to listen on; 0 for any',
      wholeNumber(0, 65_535),
      HTTP.port.default as number,
    )
    .option('--seed <number>', 'random seed of the traffic', wholeNumber(0, 2 ** 32 - 1), 1)
    .option(
      '--users <number>',
      'number of simulated users, who visit once a minute',
      wholeNumber(1, 1_000_000),
      DEMO_USERS,
    )
    .option(
      '--backlog <minutes>',
      `minutes of traffic to simulate before now (default: ${DEMO_BACKLOG_CYCLES.story}, or ${DEMO_BACKLOG_CYCLES.plain} with --plain)`,
      wholeNumber(1, 60),
    )
    .addOption(
      new Option('--speed <times>', 'speed of time: at 10, a minute takes 6 s')
        .choices(SPEEDS)
        .default('1'),
    )
    .option(
      '--lists <file>',
      'lists to add: from unskew train, on the log of unskew simulate with the same --seed and --users',
    )
    .option(
      '--plain',
      'traffic in which every model stays the same and one policy serves all lists',
    );
  addDemoFlags(command).action(async ({ speed, plain = false, ...flags }: DemoFlags) =>
    bodies.demo(
      {
        ...servingOf(flags),
        speed: Number(speed),
        plain,
      },
      io,
    ),
  );
}

/** Add `config`: prints the effective configuration. */
export function addConfig(command: Command, { io, env }: ProgramContext): void {
  command
    .option('--describe', 'explain each value and its range in a comment above it')
    .option('--json-schema', 'print the JSON Schema of a configuration file, for editors');
  addSettings(command).action(async ({ describe, jsonSchema }: ConfigFlags) => {
    if (jsonSchema === true) {
      io.stdout(`${JSON.stringify(configSchema(KEYS), null, 2)}\n`);
      return;
    }
    const { entries, warnings } = await settingsOf(command, env);
    io.stdout(configListing(entries, describe));
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
  });
}

/**
 * Format the effective configuration as YAML that can be used as a configuration file. A comment
 * after each value gives its origin.
 *
 * @param isDescribed whether to explain each key in a comment above it.
 */
export function configListing(entries: readonly ConfigEntry[], isDescribed = false): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const entry of entries) {
    const groups = entry.path.split('.');
    const name = groups.pop()!;
    groups.forEach((group, depth) => {
      if (open.slice(0, depth + 1).join('.') === groups.slice(0, depth + 1).join('.')) return;
      lines.push(`${'  '.repeat(depth)}${group}:`);
    });
    open = groups;
    const indent = '  '.repeat(groups.length);
    if (isDescribed) {
      const { description } = entry.key;
      lines.push(`${indent}# ${description} Expected: ${rangeText(entry.key)}.`);
    }
    lines.push(indent + valueLine(name, entry));
  }
  return `${lines.join('\n')}\n`;
}

function valueLine(name: string, { key, value, origin }: ConfigEntry): string {
  const { secret, variable, serviceDefault } = key;
  const text = value === undefined ? '' : secret === true ? '"***"' : JSON.stringify(value);
  const served = serviceDefault === undefined ? '' : `, a service takes ${serviceDefault}`;
  const note = value === undefined ? `not given${served}; ${variable}` : origin;
  return `${`${name}: ${text}`.trimEnd()}  # ${note}`;
}
