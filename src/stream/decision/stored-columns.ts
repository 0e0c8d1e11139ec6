/** Characters that are made at once: more arguments than that a call may refuse. */
const AT_ONCE = 8192;

/** Numbers as a text that gives back the same bits: base64 of their bytes as they lie in memory. */
export function columnText(column: Float64Array | Float32Array): string {
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  }
  return btoa(text);
}

/** The bytes of a text that `columnText` made. */
function bytesOf(text: string): ArrayBuffer {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes.buffer;
}

export function wideColumn(text: string): Float64Array {
  return new Float64Array(bytesOf(text));
}

export function narrowColumn(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}
