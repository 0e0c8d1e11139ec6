/** One list that was shown to a user, and what it led to. */
export interface ServedRequest {
  /** Any number that tells users apart. */
  readonly user: number;
  readonly model: string;
  /** Requests of one stratum were divided among the models by the same shares; 0 for all alike. */
  readonly stratum: number;
  /** Sum of what the interactions that name the list are worth; 0 for none. */
  readonly reward: number;
}

/** What a list of a model is worth when it is shown. */
export interface OnPolicyValue {
  readonly model: string;
  readonly value: number;
  /** Clustered by user; NaN with a single user. */
  readonly stdErr: number;
  /** Lists of the model that were shown. */
  readonly lists: number;
  /** Users who were shown one. */
  readonly users: number;
}

/**
 * The mean reward of a shown list, by the model that made it.
 *
 * V(a) = Σ_t (Q_t / Q) · c̄_ta, Q_t the requests of stratum t among the Q of all strata in which a
 * was shown, c̄_ta the mean reward of a's lists there. Residuals e = 1{a} (c − c̄_ta) Q_t / Q_ta give
 * stdErr² = U / (U − 1) · Σ_u (Σ_{q∈u} e_q)² / Q², U the users of these strata.
 *
 * Named exposures suffice for it: it needs no model of clicks, no propensity and no lists that were
 * not shown. It says nothing of models that were shown to nobody. Strata keep a ramp-up from mixing
 * times with one another: the plain mean of an arm that grows follows the time of its growth.
 *
 * **Source**: W. G. Cochran, Sampling Techniques, 1977, chapter 5 (stratified means), with errors
 * clustered by user. Unbiased where requests are divided at random within strata. O(requests).
 *
 * @param requests every shown list, with a reward of 0 where nothing came of it
 * @returns by model, in code-point order; none without requests
 * @example
 * const served = [1, 0, 1, 1].map((reward, user) => ({ user, model: 'a', stratum: 0, reward }));
 * onPolicyValues(served)[0].value; // 0.75
 */
export function onPolicyValues(requests: readonly ServedRequest[]): OnPolicyValue[] {
  const strata = new Map<number, ServedRequest[]>();
  for (const request of requests) {
    const own = strata.get(request.stratum);
    if (own === undefined) strata.set(request.stratum, [request]);
    else own.push(request);
  }
  const models = [...new Set(requests.map(({ model }) => model))].sort();
  return models.map((model) => armValue(model, [...strata.values()]));
}

function armValue(model: string, strata: readonly ServedRequest[][]): OnPolicyValue {
  const shown = strata.filter((requests) => requests.some((request) => request.model === model));
  const total = shown.reduce((sum, requests) => sum + requests.length, 0);
  const residuals = new Map<number, number>();
  const users = new Set<number>();
  let value = 0;
  let lists = 0;
  for (const requests of shown) {
    const own = requests.filter((request) => request.model === model);
    const mean = own.reduce((sum, { reward }) => sum + reward, 0) / own.length;
    value += (requests.length / total) * mean;
    lists += own.length;
    for (const { user } of requests) residuals.set(user, residuals.get(user) ?? 0);
    for (const { user, reward } of own) {
      users.add(user);
      const residual = ((reward - mean) * requests.length) / own.length;
      residuals.set(user, residuals.get(user)! + residual);
    }
  }
  return {
    model,
    value,
    stdErr: errorOf([...residuals.values()], total),
    lists,
    users: users.size,
  };
}

function errorOf(residuals: readonly number[], requests: number): number {
  const users = residuals.length;
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  return users < 2 ? Number.NaN : Math.sqrt((users / (users - 1)) * squares) / requests;
}
