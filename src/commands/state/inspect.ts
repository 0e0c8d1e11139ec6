import { formatDuration } from '../../config/units.js';
import type { Config } from '../../config.js';
import { printable } from '../../outputs/text/terminal.js';
import { counted, whole } from '../../rows/figures.js';
import {
  changedSettings,
  EFFECT_WORDS,
  type SettingChange,
  settingsOf,
} from '../../stream/checkpoint/changed-settings.js';
import type { CheckpointHead } from '../../stream/checkpoint/checkpoint.js';
import { type StoredCounts, storedCounts } from '../../stream/checkpoint/stored-partition.js';
import { stateSettings } from '../../stream/state-settings.js';
import type { CommandIo } from '../cli/io.js';
import { serviceMonitorOptions } from '../service/monitor-options.js';
import {
  type KeptState,
  type LookedAt,
  lookAtPartition,
  type StateOf,
  withState,
} from './stored-checkpoints.js';

/** Maximum number of model names in the text output; the JSON output lists all. */
const MOST_MODELS = 10;

export interface InspectOptions extends StateOf {
  readonly json: boolean;
}

interface InspectedPartition {
  readonly partition: number;
  /** Number of stored checkpoints of the partition. */
  readonly checkpoints: number;
  readonly bytes: number;
  /** Why the newest checkpoint cannot be used; empty if it is valid. */
  readonly faults: readonly string[];
  readonly version: number | null;
  /** Time of the checkpoint, ISO 8601; null if unknown. */
  readonly savedAt: string | null;
  readonly epoch?: number;
  readonly topics?: CheckpointHead['topics'];
  readonly next?: CheckpointHead['next'];
  readonly log?: CheckpointHead['log'] | null;
  /** End of the newest closed pane, ISO 8601; null before the first. */
  readonly closedTo?: string | null;
  readonly counts?: StoredCounts;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly changed?: readonly (SettingChange & { readonly means: string })[];
}

/** `unskew state inspect`: print the stored state, and how the current settings would affect it. */
export async function inspectState(options: InspectOptions, io: CommandIo): Promise<void> {
  const { config, json } = options;
  await withState(options, async (kept) => {
    const partitions: InspectedPartition[] = [];
    for (const partition of await kept.store.partitions()) {
      partitions.push(await inspected(kept, partition, config));
    }
    const { place } = kept;
    if (json) {
      const told = {
        schema: 'unskew/state@1',
        place,
        group: config.kafka.groupId,
        partitions,
      };
      io.stdout(`${JSON.stringify(told)}\n`);
    } else {
      io.stdout(`${inspectionLines(place, partitions, config).join('\n')}\n`);
    }
  });
}

async function inspected(
  { store }: KeptState,
  partition: number,
  config: Config,
): Promise<InspectedPartition> {
  const found = await lookAtPartition(store, partition);
  const [newest] = found;
  const told = {
    partition,
    checkpoints: found.length,
    bytes: newest?.bytes.length ?? 0,
    faults: newest?.faults ?? ['there is no checkpoint'],
    version: newest?.version ?? null,
    savedAt: null,
  };
  return newest?.stored === undefined
    ? told
    : {
        ...told,
        ...contents(newest, config),
      };
}

function contents({ version, stored }: LookedAt, config: Config) {
  const { head } = stored!;
  const { epoch, topics, next, log = null, progress } = head;
  const settings = settingsOf({
    version: version!,
    head,
  });
  const now = stateSettings(serviceMonitorOptions(config));
  const { exposures, interactions } = config.kafka.topics;
  const topicsNow = { 'kafka.topics': { exposures, interactions } };
  const changed = changedSettings(
    {
      ...settings,
      'kafka.topics': topics,
    },
    {
      ...now,
      ...topicsNow,
    },
  );
  const closedTo = (progress.closedThrough + 1) * (settings['time.tick'] as number);
  return {
    savedAt: head.savedAt === undefined ? null : iso(head.savedAt),
    epoch,
    topics,
    next,
    log,
    closedTo: Number.isFinite(closedTo) ? iso(closedTo) : null,
    counts: storedCounts(stored!),
    settings,
    changed: changed.map((change) => ({
      ...change,
      means: EFFECT_WORDS[change.effect],
    })),
  };
}

function inspectionLines(
  place: string,
  partitions: readonly InspectedPartition[],
  config: Config,
): string[] {
  if (partitions.length === 0) return [`${place}: no state is stored`];
  const changes = new Map<string, string>();
  for (const { changed = [] } of partitions) {
    for (const { name, made, now, means } of changed) {
      changes.set(`${name}/${made}`, `${name} was ${made} and is now ${now}: ${means}`);
    }
  }
  const settings =
    changes.size === 0 ? ['settings: unchanged since the state was stored'] : changes.values();
  const every = formatDuration(config.state.everyMs);
  return [
    `${place}: ${counted(partitions.length, 'partition')}, saved every ${every}`,
    ...partitions.flatMap(partitionLines),
    ...settings,
  ];
}

function partitionLines(told: InspectedPartition): string[] {
  const { partition, bytes, version, savedAt, epoch, closedTo, next, log, counts, faults } = told;
  const head = `partition ${partition}: ${whole(bytes)} bytes, format ${version ?? 'unknown'}`;
  const damage = faults.map((fault) => `  fault: ${fault}`);
  if (counts === undefined) return [head, ...damage];
  const logMarks = (role: 'exposures' | 'interactions') =>
    `${role} read to offset ${whole(next?.[role])} (${log?.marks[role]?.length ?? 0} marks)`;
  const { users, items, models, eventIds, rows, listEntries } = counts;
  return [
    `${head}, saved ${savedAt ?? 'at an unknown time'}, epoch ${epoch}`,
    `  panes closed to ${closedTo ?? 'none'}; ${logMarks('exposures')}, ${logMarks('interactions')}`,
    `  ${whole(users)} users, ${whole(items)} items, ${whole(rows)} rows, ${whole(listEntries)} list items, ${whole(eventIds)} event ids`,
    `  models: ${someOf(models)}`,
    ...damage,
  ];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** List the first names and count the rest: a mistake may have produced thousands. */
function someOf(models: readonly string[]): string {
  const told = models.slice(0, MOST_MODELS).map(printable).join(', ');
  const more = models.length - MOST_MODELS;
  return more > 0 ? `${told} and ${whole(more)} more` : told || 'none';
}
