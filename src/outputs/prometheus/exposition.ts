import type { Snapshot } from '../../stream/snapshot.js';
import type { SnapshotSeries } from './snapshot-series.js';

/**
 * Gauges of a snapshot in the text format of Prometheus, version 0.0.4. What is NaN is left out.
 * A registry would rewrite thousands of samples at every scrape; a snapshot does not change.
 * It takes 3 to 10 times as long (`http.scrape` of `npm run bench`).
 */
export function gaugesText(
  all: readonly SnapshotSeries[],
  snapshot: Snapshot | undefined,
  shows: (model: string | number | undefined) => boolean,
): string {
  const labels = new LabelTexts();
  let text = '';
  for (const { name, help, labelNames, samples } of all) {
    text += `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} gauge\n`;
    if (snapshot !== undefined) {
      for (const [own, value] of samples(snapshot)) {
        if (Number.isNaN(value) || !shows(own['model'])) continue;
        text += `${name}${labels.of(labelNames, own)} ${numberText(value)}\n`;
      }
    }
    text += '\n';
  }
  return text;
}

/** The same few labels stand at thousands of samples: each is written once. */
class LabelTexts {
  readonly #written = new Map<string, Map<string | number | undefined, string>>();

  of(names: readonly string[], labels: Readonly<Record<string, string | number>>): string {
    if (names.length === 0) return '';
    let text = '';
    for (const name of names) text += this.#label(name, labels[name]);
    return `{${text.slice(1)}}`;
  }

  #label(name: string, value: string | number): string {
    let own = this.#written.get(name);
    if (own === undefined) {
      own = new Map();
      this.#written.set(name, own);
    }
    let text = own.get(value);
    if (text === undefined) {
      text = `,${name}="${escapedValue(String(value))}"`;
      own.set(value, text);
    }
    return text;
  }
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escapedValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
