import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coatLog } from '../support/coat-log.js';
import { itemRankers } from '../support/coat-rankers.js';
import { unskew } from '../support/program.js';
import { publishedData } from '../support/published-data.js';

const K = 10;

/** Event files with the true recall of models, where it is known. */
interface Log {
  readonly name: string;
  readonly train: string;
  readonly events: string;
  readonly flags?: readonly string[];
  readonly truth?: ReadonlyMap<string, number>;
}

/**
 * `npm run changed-numbers`: recall over all events by naive and by snips with the settings of the
 * papers and with the defaults, which CHANGELOG.md sums up.
 */
export async function changedNumbers(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-changed-'));
  try {
    const lines = [
      '| log | model | naive | snips, papers | snips, default | true |',
      '| --- | --- | --- | --- | --- | --- |',
    ];
    for (const log of await logs(folder)) lines.push(...(await rowsOf(log)));
    return `${lines.join('\n')}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function logs(folder: string): Promise<Log[]> {
  const imported = async (name: string, data: string): Promise<Log> => {
    const [train, events] = ['train', 'events'].map((part) =>
      join(folder, `${data}-${part}.ndjson`),
    );
    const source = publishedData(data);
    if (source === undefined) throw new Error(`no data of ${name}; set UNSKEW_DATA`);
    const out = ['--out', events!, '--train-out', train!];
    await unskew(['import', name.toLowerCase().replace(' ', '-'), source, ...out]);
    return { name, train: train!, events: events! };
  };
  const simulated = join(folder, 'simulated');
  await unskew(['simulate', '--out', simulated]);
  const { intervals } = JSON.parse(readFileSync(join(simulated, 'truth.json'), 'utf8'));
  const values: { model: string; metric: string; k: number; aggregation: string; value: number }[] =
    intervals.at(-1).values;
  const known = values.filter(
    ({ metric, k, aggregation }) => metric === 'recall' && k === K && aggregation === 'pooled',
  );
  return [
    { name: 'Coat', ...coatLog(folder, 1, itemRankers, K), flags: ['--positive', '4'] },
    {
      name: 'simulate',
      train: join(simulated, 'train.ndjson'),
      events: join(simulated, 'events.ndjson'),
      truth: new Map(known.map(({ model, value }) => [model, value])),
    },
    await imported('MovieLens', 'ml-latest-small'),
    await imported('Open Bandit', 'open-bandit'),
  ];
}

async function rowsOf({ name, train, events, flags = [], truth }: Log): Promise<string[]> {
  const evaluated = async (preset: string) => {
    const { stdout } = await unskew(
      ['evaluate', '--train', train, '--events', events, '--preset', preset, '--json']
        .concat(['--metrics', 'recall', '--k', String(K), '--estimators', 'naive,snips'])
        .concat(['--baseline', 'none', ...flags]),
    );
    const { results } = JSON.parse(stdout);
    return (model: string, estimator: string): string => {
      const row = results.find(
        (found: Record<string, unknown>) =>
          found['model'] === model &&
          found['estimator'] === estimator &&
          found['aggregation'] === 'pooled',
      );
      if (row === undefined) return '–';
      return row.value === null ? 'withheld' : row.value.toFixed(3);
    };
  };
  const papers = await evaluated('papers');
  const usual = await evaluated('default');
  const models = truth === undefined ? await modelsOf(train, events) : [...truth.keys()];
  return models.map((model) => {
    const cells = [papers(model, 'naive'), papers(model, 'snips'), usual(model, 'snips')];
    return `| ${[name, model, ...cells, truth?.get(model)?.toFixed(3) ?? '–'].join(' | ')} |`;
  });
}

async function modelsOf(train: string, events: string): Promise<string[]> {
  const argv = ['evaluate', '--train', train, '--events', events, '--json', '--baseline', 'none'];
  const { stdout } = await unskew(argv);
  return JSON.parse(stdout).models.map(({ model }: { model: string }) => model);
}

if (process.argv[1] === import.meta.filename) process.stdout.write(await changedNumbers());
