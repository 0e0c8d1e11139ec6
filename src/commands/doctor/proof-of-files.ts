import { parse } from 'yaml';
import { loadConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import {
  ExposureColumns,
  InteractionColumns,
  NAMES_EXPOSURE,
  SHOWN,
  SHOWN_BEFORE,
} from '../../events/columns.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../../events/fault.js';
import { Interner } from '../../state/ids/interner.js';
import { type EventSink, FileEvents } from '../files/file-events.js';
import { KindWatch } from '../files/kind-watch.js';
import { decoderOptions } from '../service/monitor-options.js';
import { armsOf } from './ab-test.js';
import { type Done, judged, type Listed, type Proof } from './proof.js';

/** Most events to read from each file to check a configuration. */
const MOST_EVENTS = 500_000;

/** Thrown to stop reading a file after `MOST_EVENTS`. */
const ENOUGH = new Error('enough of the file was read');

/** Check a suggested configuration by reading files with it, as `evaluate` would. */
export async function proofOfFiles(text: string, paths: readonly string[]): Promise<Proof> {
  const others = new Map<string, number>();
  const refused = new Map<string, string>();
  const lists: Listed[] = [];
  const done: Done[] = [];
  const watch = new KindWatch();
  try {
    const config = loadConfig({
      file: undefined,
      env: {},
      overrides: flat(parse(text) as object),
    });
    const columns = {
      interactions: new InteractionColumns(1),
      exposures: new ExposureColumns(1),
    };
    const tables = {
      users: new Interner(),
      items: new Interner(),
      models: new Interner(),
      actions: new Interner(),
    };
    const decoder = decoderOptions(config);
    const maxEventBytes = config.events.maxBytes;
    const files = new FileEvents({
      decoder,
      maxEventBytes,
      lists: config.intake.lists,
    });
    const keep = () => {
      const { interactions, exposures } = columns;
      watch.take(interactions, exposures);
      for (let r = 0; r < exposures.length; r++) {
        lists.push({
          id: `${exposures.idHigh[r]} ${exposures.idLow[r]}`,
          user: tables.users.text(exposures.user[r]!),
          model: tables.models.text(exposures.model[r]!),
          items: { length: exposures.listStart[r + 1]! - exposures.listStart[r]! },
          isServed: (exposures.flags[r]! & (SHOWN | SHOWN_BEFORE)) !== 0,
        });
      }
      for (let r = 0; r < interactions.length; r++) {
        const names = (interactions.flags[r]! & NAMES_EXPOSURE) !== 0;
        const action = interactions.action[r]!;
        const exposure = `${interactions.exposureHigh[r]} ${interactions.exposureLow[r]}`;
        done.push({
          user: tables.users.text(interactions.user[r]!),
          value: interactions.value[r]!,
          ...(names && { exposure }),
          ...(action >= 0 && { action: tables.actions.text(action) }),
        });
      }
      interactions.clear();
      exposures.clear();
    };
    let events = 0;
    let areAssembled = false;
    const sink: EventSink = {
      tables,
      columns,
      referenceTs: Date.now(),
      take: (code, place, { detail }) => {
        if (code === ACCEPTED) {
          keep();
        } else {
          count(code, `${place()}: ${detail}`);
        }
        if (++events === MOST_EVENTS) throw ENOUGH;
        return undefined;
      },
      takeList: (code, { detail }) => {
        areAssembled = true;
        if (code === ACCEPTED) {
          keep();
        } else {
          count(code, detail);
        }
        return undefined;
      },
    };
    const count = (code: number, detail: string) => {
      const reason = code === IGNORED ? 'ignored' : (FAULT_REASONS[code] as string);
      others.set(reason, (others.get(reason) ?? 0) + 1);
      if (code !== IGNORED && !refused.has(reason)) {
        refused.set(reason, detail);
      }
    };
    let isWhole = true;
    for (const path of paths) {
      events = 0;
      await files.read(path, sink).catch((error: unknown) => {
        if (error !== ENOUGH) throw error;
        isWhole = false;
      });
    }
    await files.flush(sink);
    const proof = judged(lists, done, others, refused, {
      wrong: [...watch.warnings()],
      isWhole,
      areAssembled,
    });
    return {
      ...proof,
      arms: armsOf(lists),
    };
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return judged([], [], others, refused, {
      wrong: [error.message],
      isWhole: true,
      areAssembled: false,
    });
  }
}

/** Flatten sections of a configuration to settings by path, such as `events.mapping`. */
function flat(written: object): Readonly<Record<string, unknown>> {
  const settings = Object.entries(written).flatMap(([section, keys]) =>
    Object.entries(keys as object).map(([key, value]) => [`${section}.${key}`, value] as const),
  );
  return Object.fromEntries(settings);
}
