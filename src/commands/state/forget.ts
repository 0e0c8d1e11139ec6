import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { rewriteLines } from '../../adapters/files/rewritten-lines.js';
import { SetFolder } from '../../adapters/files/set-folder.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { Pseudonyms } from '../../events/pseudonyms.js';
import { whole } from '../../rows/figures.js';
import { type ForgottenUsers, forgottenToo } from '../../state/ids/forgotten-users.js';
import { type WithoutNames, withoutNames } from '../../stream/checkpoint/forget.js';
import { runSliced } from '../../stream/sliced.js';
import type { LoggedIo } from '../cli/io.js';
import { statePlace } from '../service/state-stores.js';
import { wholeCheckpoints } from './export-state.js';
import { refuseWhileServed } from './import-state.js';
import { forgottenUsers, type KeptState, TURNS, withState } from './stored-checkpoints.js';

export interface ForgetOptions {
  readonly config: Config;
  readonly user: string;
}

/**
 * `unskew forget`: takes a user's name out of all that a service keeps, under every key of
 * pseudonyms too, and has the user's events refused from then on. Prints what was done, and what
 * lies elsewhere. It can be done again, where it was ended in the middle.
 */
export async function forget({ config, user }: ForgetOptions, io: LoggedIo): Promise<void> {
  if (user === '') throw new UnskewError('USAGE', 'expected the id of a user, found an empty one');
  const keys = config.events.pseudonyms;
  const names = [...new Set([user, ...(keys ? new Pseudonyms(keys).every(user) : [])])];
  const before = (await forgottenUsers(config)) ?? {
    salt: randomBytes(16).toString('hex'),
    users: [],
  };
  const forgotten = forgottenToo(names, before);
  await refuseWhileServed(config, io, 'forget');
  const done: string[] = [];
  for (const role of [undefined, 'tick'] as const) {
    await withState({ config, role }, async (kept) => {
      const { partitions, found } = await takeOut(kept, names, forgotten, io);
      if (partitions === 0) return;
      const knew = found === 0 ? 'none knew the user' : `${whole(found)} knew the user`;
      done.push(`${kept.place}: checkpoints of ${whole(partitions)} partitions rewritten, ${knew}`);
    });
  }
  if (done.length === 0) throw new UnskewError('STATE', `${statePlace(config)}: nothing is kept`);
  // A service that began before its partitions were taken still has the name in memory.
  await refuseWhileServed(config, io, 'forget');
  const { deadLetters, estimatesFile } = config;
  const files = [
    {
      path: deadLetters.to,
      what: 'refused events removed',
      change: withoutLetters(names),
    },
    {
      path: estimatesFile,
      what: 'lines without the name',
      change: withoutUser(names),
    },
  ];
  for (const { path, what, change } of files) {
    if (path === undefined || path === 'topic' || path === 'none') continue;
    const told = await rewriteLines(path, change);
    if (told) {
      done.push(`${path}: ${whole(told.changed)} of ${whole(told.of)} ${what}`);
    }
  }
  const { out } = config.export;
  if (out !== undefined && !out.startsWith('s3://')) {
    const removed = await new SetFolder(out).discard();
    done.push(`${out}: ${whole(removed)} unfinished sets removed`);
  }
  io.stdout(`${[...done, ...AFTERWARDS, '', 'Elsewhere:', ...elsewhere(config)].join('\n')}\n`);
}

const AFTERWARDS = [
  'from now on, events of the user are rejected and counted as unskew_events_total{outcome="forgotten"}',
  'past interactions of the user stay in the numbers without an id, until windows and popularity.horizon have passed',
];

/** What this program does not reach, in words. */
function elsewhere(config: Config): string[] {
  const { kafka, deadLetters, export: sets, events, intake, panes } = config;
  const { exposures, interactions, deadLetter } = kafka.topics;
  const topics = [exposures, interactions, ...intake.sources.flatMap((source) => source.topics)];
  if (deadLetters.to === 'topic') {
    topics.push(deadLetter);
  }
  return [
    `  Kafka: ${[...new Set(topics)].join(', ')}, until their retention ends; serve and export refuse them`,
    `  Kafka: ${panes.topic}, if readers and tickers are used, until its retention ends`,
    ...(sets.out === undefined ? [] : [`  ${sets.out}: sets that are complete`]),
    '  copies of the state by `unskew state export`: one that is imported brings the user back',
    '  event files, tables of rows and of popularity, and what was logged or answered before',
    ...(events.pseudonyms
      ? ['  a pseudonym key that is added later gives the user a new name; run forget again then']
      : []),
  ];
}

/** Refused events go that hold a name: as a word where they are text, anywhere where they are not. */
export function withoutLetters(names: readonly string[]): (line: string) => string | undefined {
  const words = wordsOf(names);
  return (line) => {
    const { detail, value } = JSON.parse(line) as {
      detail: string;
      value: string;
    };
    const event = Buffer.from(value, 'base64');
    const isFound = isUtf8(event)
      ? words.test(event.toString())
      : names.some((name) => event.includes(name));
    return isFound || words.test(detail) ? undefined : line;
  };
}

/** Estimates name users who have far more interactions than all others. */
export function withoutUser(names: readonly string[]): (line: string) => string {
  const words = wordsOf(names, 'g');
  return (line) => {
    if (!names.some((name) => line.includes(JSON.stringify(name)))) return line;
    const told = JSON.parse(line) as { heavyUsers?: { named?: { user: string }[] } };
    if (!told.heavyUsers?.named?.some(({ user }) => names.includes(user))) return line;
    return JSON.stringify(told, (_, value: unknown) =>
      typeof value === 'string' ? value.replace(words, 'forgotten') : value,
    );
  };
}

function wordsOf(names: readonly string[], flags?: string): RegExp {
  const words = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\w-])(${words.join('|')})(?![\\w-])`, flags);
}

async function takeOut(
  kept: KeptState,
  names: readonly string[],
  forgotten: ForgottenUsers,
  io: LoggedIo,
): Promise<{
  partitions: number;
  found: number;
}> {
  const { store, place } = kept;
  const told = {
    partitions: 0,
    found: 0,
  };
  for await (const { partition, bytes } of wholeCheckpoints(kept, io)) {
    // An epoch of its own fences a service that has begun meanwhile.
    const epoch = await store.takeEpoch(partition);
    const work: Generator<void, WithoutNames> = withoutNames(bytes, names, forgotten, letters);
    const { chunks, found } = await runSliced(work, TURNS);
    if ((await store.replace(partition, epoch, chunks)) !== 'saved') {
      throw new UnskewError(
        'STATE',
        `${place}: a service has taken partition ${partition}: stop it, and forget again`,
      );
    }
    told.partitions++;
    if (found > 0) {
      told.found++;
    }
  }
  return told;
}

function letters(count: number): string {
  return randomBytes(count).toString('hex').slice(0, count);
}
