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

export type TickCall = (typeof CALLS)[number];

/**
 * Calls to a `TickHost`, which may run in another thread. Calls are answered in order. Bytes are
 * copied.
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

/** Make `Ticks` from a function that answers one call after the other. */
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

/** Answer a call by a host. */
export function answered(host: TickHost, name: TickCall, asked: readonly unknown[]): unknown {
  const call = host[name] as (this: TickHost, ...asked: unknown[]) => unknown;
  return call.apply(host, [...asked]);
}
