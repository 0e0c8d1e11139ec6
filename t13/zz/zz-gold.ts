import { writeFileSync } from 'node:fs';
import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { NAMES_EXPOSURE } from '../../src/events/columns.js';
import { Outcomes } from '../../src/stream/ingest/outcomes.js';
import { Monitor } from '../../src/stream/monitor.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { syntheticLog } from './synthetic-log.js';

const HOUR = 3600000;
const out: any = {};
const ASKED = {
  'time.tick': '1m',
  'time.windows': '1h',
  'time.lateness': '0s',
  'estimates.metrics': 'recall,dcg,mrr,auc,precision,ndcg,map',
  'estimates.ks': '5,10',
  'drift.detectors': '',
  'estimates.estimators': 'naive,ips,snips,gs,skew,wtd,wtd_h,reg,full,wtd_ipf',
};
for (const preset of ['papers', ''])
  for (const share of [0, 0.02, 0.1, 0.3]) {
    const options = monitorOptions(
      readConfig({ env: {}, overrides: { ...ASKED, ...(preset ? { preset } : {}) } as any }).config,
    );
    const log = syntheticLog(
      {
        interactions: 25000,
        users: 2000,
        items: 500,
        interactionsPerSession: 15,
        listLength: 20,
        spanMs: 0.1 * HOUR,
      },
      3,
    );
    const monitor = new Monitor(options, log.ids);
    const newest = new Map<number, any>();
    const every = Math.round(1 / share);
    let last: any;
    for (const { interactions, exposures } of log.batches) {
      if (share > 0) {
        for (let e = 0; e < exposures.length; e++)
          newest.set(exposures.user[e]!, [exposures.idHigh[e]!, exposures.idLow[e]!]);
        for (let r = 0; r < interactions.length; r += every) {
          const [h, l] = newest.get(interactions.user[r]!)!;
          interactions.flags[r]! |= NAMES_EXPOSURE;
          interactions.exposureHigh[r] = h;
          interactions.exposureLow[r] = l;
        }
      }
      const o = new Outcomes();
      monitor.intake.acceptExposures(0, exposures, o);
      monitor.intake.acceptInteractions(0, interactions, o);
      for (let p = monitor.closable(); p !== undefined; p = monitor.closable())
        last = (runAtOnce(monitor.close(p)) as any).snapshot;
    }
    out[preset + share] = last;
  }
writeFileSync(
  process.argv[2]!,
  JSON.stringify(out, (k, v) => (typeof v === 'number' && !Number.isFinite(v) ? String(v) : v)),
);
