import { nightOf } from '../../export/nights/night-names.js';
import type { NightClock } from '../../export/nights/night-ports.js';
import type { SetStorage } from '../../export/ports.js';
import type { ShadowBaseline } from '../../stream/shadow/shadow-baseline.js';
import type { LoadedLists } from './loading-thread.js';
import type { ShadowManifest } from './manifest.js';

/** How often it is looked whether there are newer lists. */
const LOOK_EVERY_MS = 5_000;

export interface ListsObserver {
  used(name: string, manifest: ShadowManifest): void;
  refused(name: string, why: string): void;
  troubled(what: string, error: unknown): void;
}

export interface ListsInUseOptions {
  readonly baseline: ShadowBaseline;
  readonly storage: SetStorage;
  readonly load: (name: string) => Promise<LoadedLists>;
  readonly clock: NightClock;
  readonly observer: ListsObserver;
}

/**
 * Takes up the newest lists that are kept, whichever worker made them. Those that cannot be used are
 * refused once; the ones in use stay, and where there are none, as after a start, the next older ones
 * are taken.
 */
export class ListsInUse {
  readonly #options: ListsInUseOptions;
  readonly #refused = new Set<string>();
  readonly #stop = new AbortController();
  #name = '';
  #manifest: ShadowManifest | undefined;
  #loop: Promise<void> = Promise.resolve();
  #look: Promise<void> | undefined;

  constructor(options: ListsInUseOptions) {
    this.#options = options;
  }

  /** Of the lists in use; undefined before there are any. */
  get manifest(): ShadowManifest | undefined {
    return this.#manifest;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  /** Looks now. What goes wrong is reported, and it is looked again later. */
  look(): Promise<void> {
    this.#look ??= this.#takeUp()
      .catch((error: unknown) => this.#options.observer.troubled('looking for lists', error))
      .finally(() => {
        this.#look = undefined;
      });
    return this.#look;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.look();
      await this.#options.clock.wait(LOOK_EVERY_MS, signal);
    }
  }

  async #takeUp(): Promise<void> {
    const { storage, load, baseline, observer } = this.#options;
    const names = (await storage.list()).filter((name) => nightOf(name) !== undefined);
    for (const name of names.reverse()) {
      if (name <= this.#name) return;
      if (this.#refused.has(name)) continue;
      const loaded = await load(name);
      if (loaded.kind === 'lists') {
        baseline.use(loaded.lists);
        this.#name = name;
        this.#manifest = loaded.manifest;
        observer.used(name, loaded.manifest);
        return;
      }
      if (!loaded.isBad) throw new Error(loaded.message);
      this.#refused.add(name);
      observer.refused(name, loaded.message);
    }
  }
}
