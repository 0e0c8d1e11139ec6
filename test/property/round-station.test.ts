import { expect, it } from 'vitest';
import { MemoryRoundLog } from '../../src/adapters/memory/round-log.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import { RoundStation } from '../../src/stream/workers/round-station.js';
import { repetitions } from '../support/repetitions.js';
import {
  type EstimatePartition,
  EstimateWork,
  KeptStations,
  lastPaneOf,
  type PartitionLogs,
  undisturbed,
} from '../support/rounds/estimate-station.js';
import { Schedule } from '../support/rounds/schedule.js';
import { randomLogs } from '../support/rounds/station-group.js';

interface Worker {
  readonly station: RoundStation<EstimatePartition, WindowEstimates>;
  readonly work: EstimateWork;
}

/** Workers of one group, whose turns, deaths and checkpoints follow from a seed. */
class Group {
  deaths = 0;
  readonly workers: Worker[] = [];
  readonly #kept: KeptStations;
  readonly #logs: PartitionLogs;
  readonly #schedule: Schedule;
  readonly #log = new MemoryRoundLog();
  #names = 0;
  #turns = 0;

  constructor(logs: PartitionLogs, schedule: Schedule) {
    this.#logs = logs;
    this.#schedule = schedule;
    this.#kept = new KeptStations(logs.length);
  }

  join(): Worker {
    const name = this.#names++;
    const work = new EstimateWork(this.#logs, this.#kept, name % 2 === 1);
    let drawn = 0;
    const station = new RoundStation(work, {
      log: new MemoryRoundLog(this.#log),
      partitions: this.#logs.length,
      algorithm: 'estimates',
      signal: new AbortController().signal,
      unique: () => `${name}.${drawn++}`,
      now: () => this.#turns,
      pause: async () => {},
      ...{ waitMs: 0, unseenMs: 40 * this.#logs.length },
      onFailure: (failure) => {
        throw failure;
      },
    });
    const worker = { station, work };
    this.workers.push(worker);
    return worker;
  }

  /** Divides the partitions among the workers, as the group would. */
  async divide(): Promise<void> {
    const { whole } = this.#schedule;
    for (const { work } of this.workers) work.assigned = new Set();
    for (const partition of this.#logs.keys()) {
      this.workers[whole(this.workers.length)].work.assigned.add(partition);
    }
    for (const { station, work } of this.workers) {
      for (const partition of this.#logs.keys()) {
        if (work.assigned.has(partition)) await station.assign(partition);
        else station.revoke(partition);
      }
    }
  }

  /** Until the workers that live have come to the end; some die on the way. */
  async run(most: { deaths: number }): Promise<void> {
    const { random, whole } = this.#schedule;
    const last = lastPaneOf(this.#logs);
    await this.divide();
    while (this.workers.some(({ station }) => station.concluded < last)) {
      expect(this.#turns++, 'turns without an end').toBeLessThan(20_000);
      const at = whole(this.workers.length);
      const { station, work } = this.workers[at];
      for (const each of work.partitions.values()) if (random() < 0.5) each.feed(whole(4));
      await station.turn();
      if (random() < 0.02) await station.keep();
      if (this.deaths < most.deaths && random() < 0.03) {
        this.deaths++;
        this.workers.splice(at, 1);
        if (this.workers.length === 0 || random() < 0.7) this.join();
        await this.divide();
      } else if (random() < 0.005) await this.divide();
    }
  }
}

it('workers come to the bits of one, though some die between rounds and others take over', async () => {
  const seen = { deaths: 0, panes: 0, workers: 0 };
  for (let seed = 0; seed < repetitions(6, 300); seed++) {
    const schedule = new Schedule(seed);
    const partitions = [1, 2, 6][seed % 3];
    const logs = randomLogs(schedule, partitions);
    const expected = undisturbed(logs);
    const group = new Group(logs, schedule);
    for (let w = 0; w <= seed % 4; w++) group.join();
    await group.run({ deaths: seed % 5 });
    for (const { work } of group.workers) {
      for (const [pane, found] of work.found) {
        expect(found, `pane ${pane} of seed ${seed}`).toEqual(expected.get(pane));
        seen.panes++;
      }
    }
    seen.deaths += group.deaths;
    seen.workers += group.workers.length;
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(4);
});
