"""MF-IPS by SciPy's L-BFGS: reads a problem as JSON from a file, answers lines of JSON.

For each line on standard input that names an objective it fits once from random factors, up to that
objective, and answers with what it reached and how long it took.
"""

import json
import sys
import time

import numpy as np
from scipy.optimize import minimize

with open(sys.argv[1]) as file:
    given = json.load(file)
users, items, size, ridge = given["users"], given["items"], given["size"], given["lambda"]
rows, columns = np.array(given["user"]), np.array(given["item"])
weights, ratings = np.zeros((users, items)), np.zeros((users, items))
# Of dense matrices: one multiplication of them is faster than sums over 8 % of the cells.
weights[rows, columns] = np.array(given["weight"]) / (users * items)
ratings[rows, columns] = given["rating"]
v_end = users * size
w_end = v_end + items * size
a_end = w_end + users


def objective(x):
    v, w = x[:v_end].reshape(users, size), x[v_end:w_end].reshape(items, size)
    errors = v @ w.T + x[w_end:a_end, None] + x[None, a_end:-1] + x[-1] - ratings
    weighted = weights * errors
    slope = 2 * weighted
    parts = [(slope @ w).ravel(), (slope.T @ v).ravel(), slope.sum(1), slope.sum(0), [slope.sum()]]
    gradient = np.concatenate(parts)
    gradient[:-1] += 2 * ridge * x[:-1]
    return np.sum(weighted * errors) + ridge * (x[:-1] @ x[:-1]), gradient


def fit(target, seed):
    random = np.random.default_rng(seed)
    start = np.zeros(a_end + items + 1)
    start[:w_end] = random.normal(0, 0.1, w_end)
    start[-1] = np.sum(weights * ratings) / np.sum(weights)

    def reached(intermediate_result):
        if intermediate_result.fun <= target:
            raise StopIteration

    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 0, "gtol": 0}
    begin = time.process_time()
    found = minimize(objective, start, jac=True, method="L-BFGS-B", callback=reached, options=options)
    elapsed = time.process_time() - begin
    return {"objective": found.fun, "ms": 1000 * elapsed, "iterations": found.nit}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(fit(asked["target"], asked["seed"])), flush=True)
