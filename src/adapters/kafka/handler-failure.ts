/** A handler failed: trying again would hand it the same records once more. */
export class HandlerFailure extends Error {}

/** Runs a handler, so that its failures can be told apart from the broker's. */
export async function byHandler<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new HandlerFailure('a handler of the records failed', { cause });
  }
}
