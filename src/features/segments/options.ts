import type { Config } from '../../config.js';
import type { DecoderOptions } from '../../events/decode.js';
import type { SegmentDimension } from '../../events/dimensions.js';
import type { MonitorOptions } from '../../stream/options.js';

/** Nothing where nothing is divided. */
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

/** The names of the dimensions that events may say. */
export function segmentsDecoded({ segments }: Config): Pick<DecoderOptions, 'segments'> {
  return { segments: dimensionsOf(segments.dimensions).map(({ name }) => name) };
}

/** In the order of their names: it is nobody's choice then. */
function dimensionsOf(given: Config['segments']['dimensions']): SegmentDimension[] {
  return Object.entries(given)
    .map(([name, from]) => ({ name, from }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
