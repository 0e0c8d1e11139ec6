"""Cornac's matrix factorisation of a problem that is read as JSON from a file: its own objective, the
plain squared error by stochastic gradients, on one thread with its defaults. For each line on standard
input it fits once and answers with the processor's time and the mean squared error of the ratings.
"""

import json
import sys
import time

import cornac
import numpy as np

with open(sys.argv[1]) as file:
    given = json.load(file)
triples = list(zip(given["user"], given["item"], given["rating"]))
data = cornac.data.Dataset.from_uir(triples, seed=1)
users, items, ratings = data.uir_tuple


def fit(seed):
    model = cornac.models.MF(k=given["size"], num_threads=1, verbose=False, seed=seed)
    begin = time.process_time()
    model.fit(data)
    elapsed = time.process_time() - begin
    factors = np.sum(model.u_factors[users] * model.i_factors[items], axis=1)
    predicted = model.global_mean + model.u_biases[users] + model.i_biases[items] + factors
    mse = float(np.mean((predicted - ratings) ** 2))
    return {"ms": 1000 * elapsed, "epochs": model.max_iter, "mse": mse}


for line in sys.stdin:
    print(json.dumps(fit(json.loads(line)["seed"])), flush=True)
