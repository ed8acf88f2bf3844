# SPDX-License-Identifier: Apache-2.0
"""Writes reference.json, with which the statistics of reports/ are tested.

Needs SciPy 1.11 or later; the tests themselves need only the stored file.
    python3 -m venv venv && venv/bin/pip install scipy && venv/bin/python make_reference.py
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

random = np.random.default_rng(20)


def lognormal(centre, spread, n):
    return [float(f"{x:.12g}") for x in centre * np.exp(spread * random.standard_normal(n))]


def difference(a, b):
    return abs(np.mean(b) - np.mean(a))


def compare(base, other):
    a, b = np.log(base), np.log(other)
    welch = stats.ttest_ind(b, a, equal_var=False)
    interval = welch.confidence_interval(0.95)
    exact = stats.permutation_test((a, b), difference, permutation_type="independent",
                                   alternative="greater", n_resamples=np.inf) \
        if len(a) + len(b) <= 18 else None
    return {"base": base, "other": other,
            "ratio": float(np.exp(b.mean() - a.mean())),
            "low": float(np.exp(interval.low)), "high": float(np.exp(interval.high)),
            "p_value": float(welch.pvalue), "degrees_of_freedom": float(welch.df),
            "permutation_p_value": None if exact is None else float(exact.pvalue),
            "geometric_mean": float(stats.gmean(base)),
            "mean_interval": [float(np.exp(x)) for x in stats.t.interval(
                0.95, len(a) - 1, loc=a.mean(), scale=stats.sem(a))]}


def monte_carlo(base, other):
    test = stats.permutation_test((np.log(base), np.log(other)), difference,
                                  permutation_type="independent", alternative="greater",
                                  n_resamples=1_000_000, random_state=np.random.default_rng(3))
    return {"base": base, "other": other, "p_value": float(test.pvalue)}


def quantiles(values):
    p = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    return {"values": values, "p": p, "quantiles": [float(x) for x in np.quantile(values, p)]}


def ranks(n, level):
    """The innermost symmetric pair of ranks, from 1, that still covers the median."""
    best = None
    for low in range(1, n // 2 + 1):
        coverage = 1 - 2 * stats.binom.cdf(low - 1, n, 0.5)
        if coverage >= level:
            best = [low, n + 1 - low, float(coverage)]
    return {"n": n, "level": level, "ranks": best}


reference = {
    "made_with": {"scipy": scipy.__version__, "numpy": np.__version__},
    "effects": [compare(lognormal(c, s, n), lognormal(c * r, t, m))
                for c, s, n, r, t, m in [(1e3, 0.01, 5, 1.05, 0.01, 5), (2.5, 0.01, 3, 1, 0.03, 5),
                                         (7e8, 0.002, 8, 0.98, 0.02, 8), (42, 0.2, 10, 1.3, 0.1, 7),
                                         (1e-3, 0.05, 2, 1, 0.05, 2), (5, 0.01, 60, 1.002, 0.01, 40)]],
    "monte_carlo": [monte_carlo(lognormal(100, 0.02, 15), lognormal(101.5, 0.02, 15))],
    "false_discovery": [{"p_values": p, "adjusted": [float(x) for x in
                                                     stats.false_discovery_control(p)]}
                        for p in ([0.01, 0.04, 0.03, 0.005, 0.5], [0.2],
                                  [float(x) for x in random.uniform(size=40) ** 3])],
    "quantiles": [quantiles(lognormal(10, 0.5, n)) for n in (1, 2, 5, 10, 101)],
    "ranks": [ranks(n, level) for n in [*range(1, 41), 70, 99, 100, 1000] for level in (0.95, 0.99)],
}
path = pathlib.Path(__file__).with_name("reference.json")
path.write_text(json.dumps(reference, indent=1) + "\n")
