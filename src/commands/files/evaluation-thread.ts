import { parentPort } from 'node:worker_threads';
import { organicEstimates } from '../../estimators/lanes/lane-window.js';
import { ALONE } from '../../estimators/partitions/rounds.js';
import { PendingEvents } from '../../state/panes/open-pane.js';
import type { PaneTallies } from '../../state/panes/pane-tallies.js';
import { talliesBy } from '../../state/panes/partition.js';
import { EvaluationShard } from '../../stream/evaluation-shard.js';
import { runAtOnce } from '../../stream/sliced.js';
import { buffersOf } from '../threads/asked-thread.js';
import type { Answers, Question } from './crew.js';

/** Helps with an evaluation: has shards of its own, and computes estimates from those of all. */
const port = parentPort!;
const shards = new Map<number, EvaluationShard>();
let tallies: PaneTallies | undefined;
const NO_EXTRAS = { scale: null, rounds: ALONE };

port.on('message', (question: Question) => {
  const answer = answerTo(question);
  // Handed over and not copied.
  port.postMessage(answer, buffersOf(answer));
});

function answerTo(question: Question): Answers[Question['kind']] {
  switch (question.kind) {
    case 'close': {
      const { train, events } = question.events;
      const own = { train: PendingEvents.revived(train), events: PendingEvents.revived(events) };
      tallies ??= talliesBy(question.options.popularity);
      const shard = EvaluationShard.of(own, question.options, tallies);
      shards.set(question.shard, shard);
      return runAtOnce(shard.close());
    }
    case 'part':
      return runAtOnce(shards.get(question.shard)!.part(question.request, 0, question.keys));
    case 'estimate': {
      const { job } = question;
      const { results, differences, effectiveSampleSizes, segments, interventions } = runAtOnce(
        organicEstimates(job, NO_EXTRAS, Number.POSITIVE_INFINITY),
      );
      return { results, differences, effectiveSampleSizes, segments, interventions };
    }
  }
}
