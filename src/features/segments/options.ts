import type { Config } from '../../config.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { SegmentDimension } from '../../events/dimensions.js';
import type { MonitorOptions } from '../../stream/options.js';

/** Options for estimates by segment; empty if no dimension is configured. */
export function segmentOptions({ segments }: Config): Pick<MonitorOptions, 'segments'> {
  const dimensions = dimensionsOf(segments.dimensions);
  const { builtIn, values, minUsers } = segments;
  if (dimensions.length === 0 && builtIn.length === 0) return {};
  return {
    segments: {
      dimensions,
      builtIn,
      values,
      minUsers,
    },
  };
}

/** Names of the dimensions whose values events may carry. */
export function segmentsDecoded({ segments }: Config): Pick<DecoderOptions, 'segments'> {
  return { segments: dimensionsOf(segments.dimensions).map(({ name }) => name) };
}

/** Dimensions sorted by name, so that their order in the configuration does not matter. */
function dimensionsOf(given: Config['segments']['dimensions']): SegmentDimension[] {
  return Object.entries(given)
    .map(([name, from]) => ({ name, from }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
