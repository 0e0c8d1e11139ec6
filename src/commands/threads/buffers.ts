/**
 * The memory of all arrays in a value, each once. What threads share is not in it, nor what is empty:
 * there is nothing to hand over, and it may be a constant that is needed again.
 */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(value, found);
  return [...found];
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) found.add(buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collect(part, found);
  }
}
