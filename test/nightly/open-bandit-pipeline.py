"""Values by Open Bandit Pipeline's own estimators.

usage: open-bandit-pipeline.py FOLDER < logs.json > values.json
FOLDER holds its source, as published. Its packages import each other and PyTorch on the way; of the
estimators themselves only annotations name a tensor.
"""

import json
import sys
import types
from os.path import join
from unittest.mock import MagicMock

import numpy as np


def package(name, folder):
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module


source = join(sys.argv[1], "obp")
package("obp", source)
package("obp.ope", join(source, "ope"))
sys.modules["torch"] = MagicMock()

from obp.ope import estimators as single  # noqa: E402
from obp.ope import estimators_slate as slate  # noqa: E402


def values_of_actions(log):
    n = len(log["reward"])
    rows = {
        "reward": np.array(log["reward"]),
        "action": np.array(log["action"]),
        "pscore": np.array(log["pscore"]),
        "action_dist": np.array(log["actionDist"])[:, :, None],
        "position": np.zeros(n, dtype=int),
    }
    q = {"estimated_rewards_by_reg_model": np.array(log["q"])[:, :, None]}
    cap = log["cap"]
    return {
        "ipw": single.InverseProbabilityWeighting().estimate_policy_value(**rows),
        "ipw cut": single.InverseProbabilityWeighting(lambda_=cap).estimate_policy_value(**rows),
        "snipw": single.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**rows),
        "dr": single.DoublyRobust().estimate_policy_value(**rows, **q),
        "dr cut": single.DoublyRobust(lambda_=cap).estimate_policy_value(**rows, **q),
        "sndr": single.SelfNormalizedDoublyRobust().estimate_policy_value(**rows, **q),
        "dros": single.DoublyRobustWithShrinkage(lambda_=cap).estimate_policy_value(**rows, **q),
    }


def values_of_slates(log):
    columns = {name: np.array(log[name]) for name in log if name not in ("places", "items")}
    places = log["places"]
    rows = {name: columns[name] for name in ("reward", "position")}
    rows["slate_id"] = columns["slateId"]
    item = {
        "pscore_item_position": columns["pscoreItem"],
        "evaluation_policy_pscore_item_position": columns["ownItem"],
    }
    cascade = {
        "pscore_cascade": columns["pscoreCascade"],
        "evaluation_policy_pscore_cascade": columns["ownCascade"],
    }
    whole = {"pscore": columns["pscore"], "evaluation_policy_pscore": columns["own"]}
    robust = {
        "action": columns["action"],
        "q_hat": columns["q"],
        "evaluation_policy_action_dist": columns["dist"],
    }
    doubly = slate.SlateCascadeDoublyRobust(len_list=places, n_unique_action=log["items"])
    of = {
        "iips": (slate.SlateIndependentIPS(len_list=places), item),
        "sniips": (slate.SelfNormalizedSlateIndependentIPS(len_list=places), item),
        "rips": (slate.SlateRewardInteractionIPS(len_list=places), cascade),
        "snrips": (slate.SelfNormalizedSlateRewardInteractionIPS(len_list=places), cascade),
        "sips": (slate.SlateStandardIPS(len_list=places), whole),
        "snsips": (slate.SelfNormalizedSlateStandardIPS(len_list=places), whole),
        "cascade dr": (doubly, {**cascade, **robust}),
    }
    return {
        name: estimator.estimate_policy_value(**rows, **chances)
        for name, (estimator, chances) in of.items()
    }


def finite(values):
    return {name: float(value) if np.isfinite(value) else None for name, value in values.items()}


logs = json.load(sys.stdin)
# Weights that are all 0 have no mean.
with np.errstate(divide="ignore", invalid="ignore"):
    found = [
        finite(values_of_slates(log) if "slateId" in log else values_of_actions(log))
        for log in logs
    ]
json.dump(found, sys.stdout, allow_nan=False)
