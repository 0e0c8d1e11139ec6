import { parentPort, workerData } from 'node:worker_threads';
import { UnskewError } from '../../errors.js';
import type { UsedPropensities } from '../../estimators/propensity/used-propensities.js';
import type { MonitorOptions } from '../../stream/options.js';
import { TickHost } from '../../stream/tick-host.js';
import { answered } from '../../stream/ticks.js';
import { propensityFileOf, usedOf } from '../propensities/used-file.js';
import { serviceMonitorOptions } from '../service/monitor-options.js';
import { buffersOf } from './asked-thread.js';
import type { TickAnswer, TickQuestion, TickThreadData } from './threaded-ticks.js';

/** Entry point of the tick thread, which answers one call after the other. */
const port = parentPort!;
const { config, topics } = workerData as TickThreadData;
let propensities: UsedPropensities | undefined;
let modelMarks: ReturnType<NonNullable<MonitorOptions['modelMarks']>> = [];

const source = {
  current: () => propensities!,
};
const host = new TickHost({
  monitor: {
    ...serviceMonitorOptions(config, propensityFileOf(config) === undefined ? undefined : source),
    modelMarks: () => modelMarks,
  },
  topics,
  now: () => performance.now(),
});

port.on('message', (question: TickQuestion) => {
  const answer = answerTo(question);
  // The chunks of a captured state are copies that nothing else uses, so they are transferred.
  port.postMessage(answer, question.name === 'capture' ? buffersOf(answer) : []);
});

function answerTo({
  name,
  asked,
  propensities: file,
  modelMarks: marks,
}: TickQuestion): TickAnswer {
  if (file !== undefined) {
    propensities = usedOf(file);
  }
  if (marks !== undefined) {
    modelMarks = marks;
  }
  try {
    return {
      kind: 'answer',
      value: answered(host, name, asked),
    };
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    const { code, message } = error;
    return {
      kind: 'refused',
      code,
      message,
    };
  }
}
