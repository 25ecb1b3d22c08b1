"""The picture of rails alike and unlike."""

from pathlib import Path

from tools.host_plot import draw, host_points


def test_unlike_rails_are_below_rings_in_time_and_above_in_all_to_all(tmp_path: Path) -> None:
    found = host_points(16)
    rings, best = found["one-way rings"], found["unlike rails"]
    assert (rings.height, best.height) == (16, 5)
    assert best.exchange > 5 * rings.exchange
    assert best.small < rings.small
    assert best.large < rings.large
    path = tmp_path / "a.svg"
    draw(path, (8,))
    assert path.read_bytes().startswith(b"<?xml")
