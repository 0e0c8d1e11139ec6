import { describe, expect, it } from 'vitest';
import { fitLogistic } from '../../src/propensity/logistic/fit-logistic.js';
import { needsData } from '../support/published-data.js';
import { coatDesign, coatFeatures } from './coat-design.js';

describe('the logistic regression of Coat', needsData('coat'), () => {
  it('comes to the optimum on crosses of features', () => {
    const fit = fitLogistic(coatDesign(), coatFeatures(), { l2: 10, offsets: 'none' });
    expect(fit.nll).toBeCloseTo(20951.427765, 5);
    expect(fit.penalised).toBeCloseTo(21008.046101, 5);
    expect(fit.intercept).toBeCloseTo(-2.420046, 5);
  });
});
