import type { Lookups } from '../features/lookups.js';
import type { TickHost } from './tick-host.js';

const CALLS = [
  'begin',
  'restore',
  'passThrough',
  'add',
  'addReach',
  'step',
  'capture',
  'item',
  'user',
  'look',
] as const satisfies readonly (keyof TickHost)[];

/** Name of a method of `TickHost` that may be called from another thread. */
export type TickCall = (typeof CALLS)[number];

/**
 * Asynchronous access to a `TickHost` that may run in another thread. Calls are answered in order,
 * and bytes are copied between threads.
 */
export type Ticks = {
  readonly [Name in Exclude<TickCall, 'look'>]: TickHost[Name] extends (
    ...asked: infer Asked
  ) => infer Answer
    ? (...asked: Asked) => Promise<Answer>
    : never;
} & {
  look<Name extends keyof Lookups>(
    name: Name,
    question: Parameters<Lookups[Name]>[1],
  ): Promise<ReturnType<Lookups[Name]>>;
  close(): Promise<void>;
};

/**
 * Make `Ticks` from a function that answers one call after the other.
 *
 * @param answer calls the named method with these arguments
 */
export function ticksBy(
  answer: (name: TickCall, asked: readonly unknown[]) => Promise<unknown>,
  close: () => Promise<void>,
): Ticks {
  const calls = CALLS.map((name) => [name, (...asked: readonly unknown[]) => answer(name, asked)]);
  return {
    ...Object.fromEntries(calls),
    close,
  } as Ticks;
}

/** Run ticks in the same thread. */
export function ticksHere(host: TickHost): Ticks {
  return ticksBy(
    async (name, asked) => answered(host, name, asked),
    async () => {},
  );
}

/** Call a method of the host by name. */
export function answered(host: TickHost, name: TickCall, asked: readonly unknown[]): unknown {
  const call = host[name] as (this: TickHost, ...asked: unknown[]) => unknown;
  return call.apply(host, [...asked]);
}
