import { describe, expect, it } from 'vitest';
import { SeriesTable } from '../../../../src/page/charts/series-table.js';

const A = { stream: 'exposures', model: 'a' };
const B = { model: 'b', stream: 'exposures' };

function report(times: number[], values: (number | null)[]) {
  return { from: 0, to: 100, step: 1, times, series: [{ labels: A, values: { gini: values } }] };
}

describe('a table of series', () => {
  it('continues with live ticks where the history ends', () => {
    const table = new SeriesTable();
    table.load(report([1, 2], [0.1, 0.2]));
    table.append(3, [
      [A, 'gini', 0.3],
      [B, 'gini', 0.9],
    ]);
    expect(table.times).toEqual([1, 2, 3]);
    expect(table.column({ model: 'a', stream: 'exposures' }, 'gini')).toEqual([0.1, 0.2, 0.3]);
    expect(table.column(B, 'gini')).toEqual([null, null, 0.9]);
    expect(table.column({ model: 'c', stream: 'exposures' }, 'gini')).toEqual([null, null, null]);
  });

  it('keeps live ticks that arrived before the history', () => {
    const table = new SeriesTable();
    table.append(2, [[A, 'gini', 0.21]]);
    table.append(3, [[A, 'gini', 0.31]]);
    table.load(report([1, 2], [0.1, 0.2]));
    expect(table.times).toEqual([1, 2, 3]);
    expect(table.column(A, 'gini')).toEqual([0.1, 0.2, 0.31]);
  });

  it('distinguishes a withheld value from one that was not requested', () => {
    const table = new SeriesTable();
    // Live ticks of another choice come while the history of the new one is on its way.
    table.append(2, [[B, 'gini', 0.8]]);
    table.append(3, [[B, 'gini', null]]);
    table.load(report([1, 2], [0.1, null]));
    expect(table.column(A, 'gini')).toEqual([0.1, null, undefined]);
    expect(table.column(B, 'gini')).toEqual([null, null, null]);
    // A tick of its own choice that leaves it out has no value of it.
    table.append(4, [[A, 'gini', 0.4]]);
    table.append(5, []);
    expect(table.column(A, 'gini')).toEqual([0.1, null, undefined, 0.4, null]);
  });

  it('replaces the newest tick by one of the same time, and ignores older ones', () => {
    const table = new SeriesTable();
    table.append(2, [[A, 'gini', 0.2]]);
    table.append(2, [[A, 'gini', 0.25]]);
    table.append(1, [[A, 'gini', 0.1]]);
    expect(table.times).toEqual([2]);
    expect(table.column(A, 'gini')).toEqual([0.25]);
  });

  it('drops ticks before a given time', () => {
    const table = new SeriesTable();
    table.load(report([1, 2, 3], [0.1, 0.2, 0.3]));
    table.forgetBefore(2);
    expect(table.times).toEqual([2, 3]);
    expect(table.column(A, 'gini')).toEqual([0.2, 0.3]);
  });
});
