"""Matrix games against linear programs."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from topofinder.alltoall.solver.exact_simplex import MatrixGame


@pytest.mark.parametrize("seed", range(30))
def test_the_game_has_the_value_of_its_linear_program(seed):
    generator = np.random.default_rng(seed)
    rows = int(generator.integers(1, 6))
    columns = generator.integers(0, 9, (int(generator.integers(1, 12)), rows)).tolist()
    columns[0] = [load + 1 for load in columns[0]]
    game = MatrixGame(columns[0])
    while any(game.offer_column(column) for column in columns):
        pass
    table = np.array(columns, dtype=float).T
    objective = np.append(np.zeros(len(columns)), 1.0)
    answer = linprog(
        objective,
        A_ub=np.hstack([table, -np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(len(columns)), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * len(columns) + [(None, None)],
    )
    assert float(game.largest) == pytest.approx(answer.fun)
    assert sum(game.weights().values()) == 1
    lengths = game.integer_lengths()
    best = min(sum(w * t for w, t in zip(lengths, column, strict=True)) for column in columns)
    assert Fraction(best, sum(lengths)) == game.largest
