/** How far a partition's two topics were read when one of its panes closed: the offsets that are next. */
export interface Cut {
  readonly exposures: number;
  readonly interactions: number;
}

interface Sender {
  /** Of the group that sent it; a later one has a greater number. */
  readonly generation: number;
  readonly partition: number;
  /** How many partitions the topics have, by the sender's word. */
  readonly partitions: number;
  /** What the sender says, sealed by the one that makes it. */
  readonly payload: Uint8Array;
}

/** How far a worker has come that was given a partition: the first word of a generation. */
export interface Hello extends Sender {
  readonly kind: 'hello';
  /** The newest pane that it has concluded; −Infinity before the first. */
  readonly pane: number;
}

/** The sums of one partition in one round of a pane. */
export interface Part extends Sender {
  readonly kind: 'part';
  readonly pane: number;
  /** 0 closes the pane; those after it are gathered by the tick. */
  readonly round: number;
  /** Of round 0: where the partition was closed, and through which pane nothing else is in it. */
  readonly closed?: { readonly cut: Cut; readonly through: number };
}

export type SumsRecord = Hello | Part;

const FORMAT = 0xb2;
const HEAD_BYTES = 24;
const CLOSED_BYTES = 24;
const GENERATIONS = 2 ** 32;

/**
 * The number of a generation of the group's n-th life. A group that was removed begins at
 * generation 1 again; its next life is greater than all generations of the one before.
 */
export function generationOf(life: number, generation: number): number {
  return life * GENERATIONS + generation;
}

/** The life that a generation belongs to. */
export function lifeOf(generation: number): number {
  return Math.floor(generation / GENERATIONS);
}

/** Writes a record as the value of a message, big-endian. */
export function encodeSums(record: SumsRecord): Uint8Array {
  const isClosing = record.kind === 'part' && record.closed !== undefined;
  const head = HEAD_BYTES + (isClosing ? CLOSED_BYTES : 0);
  const bytes = new Uint8Array(head + record.payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, FORMAT);
  view.setUint32(1, lifeOf(record.generation));
  view.setUint32(5, record.generation % GENERATIONS);
  view.setUint8(9, record.kind === 'hello' ? 0 : 1);
  view.setUint16(10, record.partition);
  view.setUint16(12, record.partitions);
  view.setFloat64(14, record.pane);
  view.setUint16(22, record.kind === 'part' ? record.round : 0);
  if (record.kind === 'part' && record.closed) {
    const { cut, through } = record.closed;
    view.setFloat64(HEAD_BYTES, cut.exposures);
    view.setFloat64(HEAD_BYTES + 8, cut.interactions);
    view.setFloat64(HEAD_BYTES + 16, through);
  }
  bytes.set(record.payload, head);
  return bytes;
}

/** Reads the value of a message; undefined for one that is no record of sums. */
export function decodeSums(bytes: Uint8Array): SumsRecord | undefined {
  if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT || bytes[9] > 1) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sender = {
    generation: generationOf(view.getUint32(1), view.getUint32(5)),
    partition: view.getUint16(10),
    partitions: view.getUint16(12),
    pane: view.getFloat64(14),
  };
  if (sender.partition >= sender.partitions) return undefined;
  if (bytes[9] === 0) return { kind: 'hello', ...sender, payload: bytes.subarray(HEAD_BYTES) };
  const round = view.getUint16(22);
  if (round > 0) return { kind: 'part', ...sender, round, payload: bytes.subarray(HEAD_BYTES) };
  if (bytes.length < HEAD_BYTES + CLOSED_BYTES) return undefined;
  const at = (place: number) => view.getFloat64(HEAD_BYTES + 8 * place);
  const closed = { cut: { exposures: at(0), interactions: at(1) }, through: at(2) };
  return {
    kind: 'part',
    ...sender,
    round,
    closed,
    payload: bytes.subarray(HEAD_BYTES + CLOSED_BYTES),
  };
}
