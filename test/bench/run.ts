import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServices } from '../../deploy/services.mjs';
import { benchAgainstSql } from './against-sql.js';
import { benchApply } from './apply.js';
import { benchCheckpoint } from './checkpoint.js';
import { benchCodecs } from './codecs.js';
import { benchDecode } from './decode.js';
import { benchDefaults } from './defaults.js';
import { benchDrift } from './drift.js';
import { benchEndToEnd } from './end-to-end.js';
import { benchExchange } from './exchange.js';
import { benchExport } from './export.js';
import { benchExportMemory } from './export-memory.js';
import { benchFactors } from './factors.js';
import { benchFormats } from './formats.js';
import { benchHelp } from './help.js';
import { benchIdSweep } from './id-sweep.js';
import { benchIntake } from './intake.js';
import { benchIntakeOnKafka } from './intake-on-kafka.js';
import { benchIntervention } from './intervention.js';
import { benchLogistic } from './logistic.js';
import { benchMemory } from './memory.js';
import { benchPackages } from './packages.js';
import { benchPage } from './page.js';
import { benchRatings } from './ratings.js';
import { benchRequestStall } from './request-stall.js';
import type { BenchResult } from './result.js';
import { benchRows } from './rows.js';
import { benchSegments } from './segments.js';
import { benchStart } from './start.js';
import { benchTick } from './tick.js';
import { benchValues } from './values.js';
import { benchWholeTick } from './whole-tick.js';
import { benchWorkers } from './workers.js';

/** `npm run bench [-- name…]`: prints every figure with its bound; the losses too. */
const BENCHES: Readonly<Record<string, () => Promise<BenchResult[]>>> = {
  decode: benchDecode,
  formats: benchFormats,
  packages: benchPackages,
  intake: async () => {
    const services = await startServices();
    try {
      return [...(await benchIntake()), ...(await benchIntakeOnKafka(services.kafkaBrokers))];
    } finally {
      await services.stop();
    }
  },
  apply: benchApply,
  tick: benchTick,
  segments: benchSegments,
  drift: benchDrift,
  defaults: () => benchDefaults(),
  intervention: benchIntervention,
  'whole-tick': benchWholeTick,
  values: () => benchValues(),
  'request-stall': benchRequestStall,
  ratings: () => benchRatings(),
  'against-sql': () => benchAgainstSql(),
  rows: benchRows,
  logistic: benchLogistic,
  factors: benchFactors,
  memory: benchMemory,
  checkpoint: benchCheckpoint,
  'id-sweep': benchIdSweep,
  page: benchPage,
  help: benchHelp,
  start: benchStart,
  export: benchExport,
  'export-memory': benchExportMemory,
  'end-to-end': async () => {
    const services = await startServices();
    try {
      return await benchEndToEnd(services.kafkaBrokers);
    } finally {
      await services.stop();
    }
  },
  codecs: async () => {
    const services = await startServices();
    try {
      return await benchCodecs(services.kafkaBrokers.split(','));
    } finally {
      await services.stop();
    }
  },
  exchange: async () => {
    const services = await startServices();
    try {
      return await benchExchange(services.kafkaBrokers);
    } finally {
      await services.stop();
    }
  },
  workers: async () => {
    const services = await startServices();
    try {
      return await benchWorkers(services.kafkaBrokers, services.redisUrl);
    } finally {
      await services.stop();
    }
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => BENCHES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(
    `no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}\n`,
  );
  process.exit(2);
}
const names = asked.length > 0 ? asked : Object.keys(BENCHES);
if (process.send !== undefined) {
  for (const result of await BENCHES[names[0]!]!()) process.send(result);
  process.disconnect();
} else {
  let missed = 0;
  for (const name of names) missed += await measured(name);
  process.stdout.write(missed === 0 ? 'all bounds hold\n' : `${missed} bounds missed\n`);
}

/** Each in a process of its own: what one has compiled and allocated must not slow another. */
async function measured(name: string): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [name]);
  let missed = 0;
  child.on('message', (result) => {
    const { id, value, unit, target, ok, detail } = result as BenchResult;
    if (!ok) missed++;
    const figure = value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
    process.stdout.write(
      `${ok ? 'ok    ' : 'MISSED'} ${id.padEnd(34)} ${figure.padStart(10)} ${unit.padEnd(9)} ${target}\n       ${detail}\n`,
    );
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the bench ${name} ended with ${code}`);
  return missed;
}
