/** The operations of a port that are watched, each with its name in metrics. */
export type Operations<Port> = { readonly [Method in keyof Port]?: string };

/**
 * A port whose failures are reported before the caller meets them. An operation may also return an
 * iterable that fails later.
 */
export function watchedPort<Port extends object>(
  port: Port,
  operations: Operations<Port>,
  onFailure: (operation: string, error: unknown) => void,
): Port {
  const told = (operation: string) => (error: unknown) => {
    onFailure(operation, error);
    throw error;
  };
  return new Proxy(port, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      const operation = operations[name as keyof Port];
      if (operation === undefined) return found.bind(target);
      return (...args: unknown[]) => {
        const answer: unknown = found.apply(target, args);
        if (isIterable(answer)) return watchedIterable(answer, told(operation));
        return Promise.resolve(answer).catch(told(operation));
      };
    },
  });
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

async function* watchedIterable<T>(
  inner: AsyncIterable<T>,
  failed: (error: unknown) => never,
): AsyncGenerator<T> {
  try {
    yield* inner;
  } catch (error) {
    failed(error);
  }
}
