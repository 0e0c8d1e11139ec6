import type { SourceFile } from './source-files.js';

/**
 * Circles of imports, types included: the strongly connected components of more than one file.
 *
 * Source: Tarjan 1972; O(files + imports).
 */
export function cycles(files: ReadonlyMap<string, SourceFile>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): number => {
    const number = order.size;
    order.set(path, number);
    stack.push(path);
    let low = number;
    for (const next of files.get(path)!.imports) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next)!);
    }
    lowest.set(path, low);
    if (low === number) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) found.push(circle.sort());
    }
    return low;
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return found;
}
