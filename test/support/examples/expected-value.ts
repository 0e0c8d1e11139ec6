import ts from 'typescript';

/** A value as a comment writes it; numbers with as many digits as they are written with. */
export interface ExpectedValue {
  readonly value: unknown;
  readonly tolerance: number;
}

const EXACT = 1e-9;

/**
 * The value that a comment states: an expression, perhaps with words behind a colon. `undefined`
 * where it states none.
 */
export function expectedValue(comment: string): ExpectedValue | undefined {
  for (const text of [comment, ...partsBeforeColons(comment)]) {
    // 1.414… is cut off, not rounded; either way the last digit bounds what is left out.
    const expression = text.replaceAll('…', '').replaceAll('...', '').trim();
    if (!isExpression(expression)) continue;
    const decimals = [...expression.matchAll(/\.(\d+)/g)].map(([, digits]) => digits.length);
    const tolerance = decimals.length === 0 ? EXACT : 10 ** -Math.max(...decimals);
    try {
      return { value: new Function(`return (${expression});`)(), tolerance };
    } catch {
      // Words that parse as names, such as `null` does not.
    }
  }
  return undefined;
}

function partsBeforeColons(comment: string): string[] {
  return [...comment.matchAll(/: /g)].map(({ index }) => comment.slice(0, index));
}

function isExpression(text: string): boolean {
  if (text === '') return false;
  const { diagnostics } = ts.transpileModule(`(${text});`, { reportDiagnostics: true });
  return diagnostics?.length === 0;
}

/** Whether a value is what is expected; of objects only the members that are expected count. */
export function agrees(actual: unknown, { value, tolerance }: ExpectedValue): boolean {
  if (typeof value === 'number' && typeof actual === 'number') {
    return Object.is(actual, value) || Math.abs(actual - value) <= tolerance;
  }
  if (Array.isArray(value)) {
    const list =
      Array.isArray(actual) || ArrayBuffer.isView(actual) ? Array.from(actual as []) : [];
    return (
      list.length === value.length &&
      value.every((each, n) => agrees(list[n], { value: each, tolerance }))
    );
  }
  if (typeof value !== 'object' || value === null) return Object.is(actual, value);
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(value).every(([key, each]) =>
    agrees((actual as Record<string, unknown>)[key], { value: each, tolerance }),
  );
}
