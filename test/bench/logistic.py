"""Fits the regression of a JSON file with scikit-learn and prints processor seconds and optimum as JSON."""

import json
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

with open(sys.argv[1]) as file:
    given = json.load(file)
users, items = given["users"], given["items"]
l2, tolerance = given["l2"], given["tolerance"]

observed = np.zeros(users * items, dtype=np.int8)
observed[given["observed"]] = 1
design = sparse.kron(sparse.csr_matrix(given["x"]), sparse.csr_matrix(given["z"]), format="csr")

best = None
for solver in given["solvers"]:
    for _ in range(given["rounds"]):
        model = LogisticRegression(
            C=1 / l2, solver=solver, tol=tolerance, max_iter=10_000, fit_intercept=True
        )
        began = time.process_time()
        model.fit(design, observed)
        seconds = time.process_time() - began
        logit = design @ model.coef_[0] + model.intercept_[0]
        loss = np.logaddexp(0, np.where(observed == 1, -logit, logit)).sum()
        objective = loss + l2 / 2 * (model.coef_[0] ** 2).sum()
        # A solver that stops early has not solved the same problem.
        if objective > given["optimum"] * (1 + given["same"]):
            break
        if best is None or seconds < best["seconds"]:
            best = {"solver": solver, "seconds": seconds, "objective": objective}
print(json.dumps(best))
