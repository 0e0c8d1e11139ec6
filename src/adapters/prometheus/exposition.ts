import type { Snapshot } from '../../stream/snapshot.js';
import type { SnapshotSeries } from './snapshot-series.js';

/**
 * Gauges of a snapshot in the text format of Prometheus, version 0.0.4. What is NaN is left out.
 * A registry would write thousands of samples anew at every scrape; a snapshot does not change.
 */
export function gaugesText(
  all: readonly SnapshotSeries[],
  snapshot: Snapshot | undefined,
  shows: (model: string | number | undefined) => boolean,
): string {
  const lines: string[] = [];
  for (const { name, help, labelNames, samples } of all) {
    lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} gauge`);
    if (snapshot !== undefined) {
      for (const [labels, value] of samples(snapshot)) {
        if (Number.isNaN(value) || !shows(labels['model'])) continue;
        lines.push(`${name}${labelsText(labelNames, labels)} ${numberText(value)}`);
      }
    }
    lines.push('');
  }
  return lines.join('\n');
}

function labelsText(
  names: readonly string[],
  labels: Readonly<Record<string, string | number>>,
): string {
  if (names.length === 0) return '';
  let text = '';
  for (const name of names) {
    text += `${text === '' ? '{' : ','}${name}="${escapedValue(String(labels[name]))}"`;
  }
  return `${text}}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

const SPECIAL = /[\\"\n]/;

function escapedValue(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
