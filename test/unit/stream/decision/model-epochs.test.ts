import { describe, expect, it } from 'vitest';
import { DecisionMarks } from '../../../../src/features/verdicts/decision-marks.js';
import { ModelEpochs } from '../../../../src/features/verdicts/model-epochs.js';

const LENGTHS = { lookMs: 6, dayMs: 24 };

describe('the epochs of models', () => {
  it('begin at the next look, and reuse the places of models that left', () => {
    const epochs = new ModelEpochs(LENGTHS);
    expect(epochs.follow(['a', 'b'], 7)).toEqual({ left: [], taken: [0, 1] });
    expect(epochs.follow(['a', 'b', 'c'], 12)).toEqual({ left: [], taken: [2] });
    expect(epochs.starts).toEqual([12]);
    expect(epochs.follow(['b', 'c', 'd'], 20)).toEqual({ left: [0], taken: [0] });
    expect(epochs.byName.get('d')).toMatchObject({ place: 0, since: 24 });
  });

  it('restart without remembered users, and are unsettled after four restarts a week', () => {
    const epochs = new ModelEpochs(LENGTHS);
    epochs.follow(['a', 'b'], 0);
    epochs.remember(epochs.byName.get('a')!, 6, 40);
    for (const at of [10, 20, 30]) epochs.restart(['a', 'unknown'], at, 'alarm');
    expect(epochs.byName.get('a')).toMatchObject({ since: 30, users: [] });
    expect(epochs.byName.get('b')).toMatchObject({ since: 0, restarts: [] });
    expect(epochs.isUnsettled('a', 31)).toBe(false);
    epochs.restart(['a'], 40, 'alarm');
    expect(epochs.isUnsettled('a', 41)).toBe(true);
    expect(epochs.isUnsettled('a', 10 + 7 * 24)).toBe(false);
  });

  it('merge the two closest starts, at the later one, if there are too many', () => {
    const epochs = new ModelEpochs(LENGTHS);
    const times = [0, 120, 180, 186, 300];
    times.forEach((at, n) => {
      epochs.follow(
        times.slice(0, n + 1).map((_, m) => `m${m}`),
        at,
      );
    });
    expect(epochs.starts).toEqual([0, 120, 186, 300]);
    expect(epochs.byName.get('m2')!.since).toBe(186);
  });
});

describe('decision marks', () => {
  it('are kept for the day after a start and for the last day', () => {
    const marks = new DecisionMarks(LENGTHS);
    for (let at = 0; at <= 120; at += 6) marks.add({ at, columns: [] }, [12]);
    expect(marks.marks.map(({ at }) => at)).toEqual([12, 18, 24, 30, 96, 102, 108, 114, 120]);
    expect(marks.wholeDaysFrom(12, 120)).toBe(24);
    expect(marks.wholeDaysFrom(12, 36)).toBe(12);
    expect(marks.wholeDaysFrom(12, 30)).toBeUndefined();
  });

  it('forget the sums of a model that left', () => {
    const column = new Float32Array(1);
    const marks = new DecisionMarks(LENGTHS, [{ at: 0, columns: [column, column] }]);
    marks.forget(0);
    expect(marks.at(0)?.columns).toEqual([undefined, column]);
    expect(marks.at(1)).toBeUndefined();
  });
});
