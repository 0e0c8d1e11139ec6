import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import kafkajs, { CompressionTypes } from 'kafkajs';
import {
  boundAnswers,
  currentUnpacking,
  DEFAULT_MAX_UNPACKED_BYTES,
} from './unpacking/bounded-answers.js';
import { UnreadableRecords } from './unpacking/unreadable-records.js';

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

interface PlugIn {
  readonly type: CompressionTypes.Snappy | CompressionTypes.LZ4 | CompressionTypes.ZSTD;
  readonly codecName: string;
  readonly packageName: string;
  /** The packages differ in what they export. */
  readonly codecOf: (exported: unknown) => Codec;
}

// Not among the names that Node finds in this CommonJS package.
const { CompressionCodecs } = kafkajs;

const PLUG_INS: readonly PlugIn[] = [
  {
    type: CompressionTypes.Snappy,
    codecName: 'Snappy',
    packageName: 'kafkajs-snappy',
    codecOf: (exported) => (exported as () => Codec)(),
  },
  {
    type: CompressionTypes.LZ4,
    codecName: 'LZ4',
    packageName: 'kafkajs-lz4',
    codecOf: (exported) => new (exported as new () => { codec: () => Codec })().codec(),
  },
  {
    type: CompressionTypes.ZSTD,
    codecName: 'Zstandard',
    packageName: '@kafkajs/zstd',
    codecOf: (exported) => (exported as () => () => Codec)()(),
  },
];

const unzipped = promisify(unzip);

/** The client's own, which writes it too. */
const GZIP: Codec = CompressionCodecs[CompressionTypes.GZIP]();

/**
 * The client decodes gzip by itself. For each other codec its plug-in is used where it is
 * installed, and named where it is not. Codecs that are registered already stay. All of
 * them are bounded in what they unpack to; a plug-in only once it has unpacked.
 */
export function registerCodecs(maxUnpackedBytes = DEFAULT_MAX_UNPACKED_BYTES): void {
  boundAnswers(maxUnpackedBytes);
  CompressionCodecs[CompressionTypes.GZIP] = () => boundedGzip;
  for (const plugIn of PLUG_INS) {
    if (isMissing(plugIn.type)) CompressionCodecs[plugIn.type] = () => loadedWhenUsed(plugIn);
  }
}

function isMissing(type: PlugIn['type']): boolean {
  try {
    CompressionCodecs[type]();
    return false;
  } catch {
    return true;
  }
}

function loadedWhenUsed(plugIn: PlugIn): Codec {
  return {
    compress: async (encoder) => (await load(plugIn)).compress(encoder),
    decompress: (buffer) =>
      currentUnpacking().unpack(buffer, async (packed) => (await load(plugIn)).decompress(packed)),
  };
}

const boundedGzip: Codec = {
  compress: (encoder) => GZIP.compress(encoder),
  decompress: (buffer) =>
    currentUnpacking().unpack(buffer, (packed, maxOutputLength) =>
      unzipped(packed, { maxOutputLength }),
    ),
};

async function load({ packageName, codecName, codecOf }: PlugIn): Promise<Codec> {
  try {
    const { default: exported } = (await import(packageName)) as { default: unknown };
    // A package compiled from ES modules has its default export one level deeper.
    return codecOf((exported as { default?: unknown }).default ?? exported);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice =
      code === 'ERR_MODULE_NOT_FOUND' ? 'install it beside unskew' : `it does not load: ${message}`;
    throw new UnreadableRecords(
      `the Kafka records are compressed with ${codecName}, which needs the package ${packageName}: ${advice}`,
    );
  }
}
