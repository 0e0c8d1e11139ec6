import { NAMES_EXPOSURE } from '/tmp/h/thirteen/src/events/columns.js';
import { Outcomes } from '/tmp/h/thirteen/src/stream/ingest/outcomes.js';
import { Monitor } from '/tmp/h/thirteen/src/stream/monitor.js';
import { runAtOnce } from '/tmp/h/thirteen/src/stream/sliced.js';
import { DEFAULTS, PAPERS } from '/tmp/h/thirteen/test/bench/default-options.js';
import { syntheticLog } from '/tmp/h/thirteen/test/bench/synthetic-log.js';

const HOUR = 3600000;
const rows = Number(process.argv[2]);
const share = Number(process.argv[3]);
const R = Number(process.argv[4] ?? 9);
const log = syntheticLog(
  {
    interactions: 1.25 * rows,
    users: rows / 10,
    items: 20000,
    interactionsPerSession: 15,
    listLength: 20,
    spanMs: 1.25 * HOUR,
  },
  3,
);
const only = process.argv[5];
const sides = [
  ['papers', PAPERS],
  ['defaults', DEFAULTS],
]
  .filter(([n]) => !only || n === only)
  .map(([n, o]: any) => ({
    n,
    monitor: new Monitor(o, log.ids),
    cpu: [] as number[],
    wall: [] as number[],
  }));
const newest = new Map<number, any>();
const every = Math.round(1 / share);
let turn = 0;
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
  const order = turn++ % 2 ? [...sides].reverse() : sides;
  for (const s of order) {
    const { monitor } = s;
    const o = new Outcomes();
    monitor.intake.acceptExposures(0, exposures, o);
    monitor.intake.acceptInteractions(0, interactions, o);
    for (let p = monitor.closable(); p !== undefined; p = monitor.closable()) {
      if (p < 59 || s.cpu.length === R) runAtOnce(monitor.settle(p));
      else {
        const c = process.cpuUsage();
        const w = performance.now();
        const pp = p;
        const snap: any = (runAtOnce(monitor.close(pp)) as any).snapshot;
        const { user, system } = process.cpuUsage(c);
        s.cpu.push((user + system) / 1000);
        s.wall.push(performance.now() - w);
      }
    }
  }
  if (sides.every((s) => s.cpu.length === R)) break;
}
const med = (v: number[]) => {
  const s = [...v].sort((a, b) => a - b);
  return (s[(s.length - 1) >> 1]! + s[s.length >> 1]!) / 2;
};
for (const s of sides)
  console.log(
    s.n,
    'min',
    Math.min(...s.cpu.slice(3)).toFixed(0),
    'cpu',
    med(s.cpu.slice(3)).toFixed(0),
    'wall',
    med(s.wall.slice(3)).toFixed(0),
    s.cpu.map((v) => v.toFixed(0)).join(' '),
  );
if (sides.length === 2) {
  const r = sides[1]!.cpu.map((v, i) => v / sides[0]!.cpu[i]!).slice(3);
  console.log(
    'ratio of medians',
    (med(sides[1]!.cpu.slice(3)) / med(sides[0]!.cpu.slice(3))).toFixed(3),
    'wall',
    (med(sides[1]!.wall.slice(3)) / med(sides[0]!.wall.slice(3))).toFixed(3),
    'pairs',
    r
      .map((v) => v.toFixed(2))
      .sort()
      .join(' '),
  );
}
