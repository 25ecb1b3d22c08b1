"""What hosts add, by options and by files: the same in forests, schedules, throughput, checks."""

from fractions import Fraction
from itertools import pairwise

import pytest

import topofinder as tf
from generators.errors import InvalidInput
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from topofinder.model.host_costs import HostCosts, host_costs_of

NAME = "C(12,{2,3})"
TIMES = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
HOSTS = {"epsilon": "20us", "reduce_rate": "1Tbps", "injection": "60Gbps"}
NODES = 12
MIB, RATE, LIMIT = Fraction(2**20), Fraction(125 * 10**8), Fraction(75 * 10**8)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The circulant, in link units: 60 of 100 Gbps on four links are 12/5, 1 Tbps is 40."""
    path = tmp_path_factory.mktemp("hosts") / "limited.json"
    graph = tf.build(NAME).topology
    told = {"injection": Fraction(12, 5), "reduce_rate": 40, "epsilon": Fraction(1, 50_000)}
    write_topology(
        Topology.from_arcs(graph.n, list(zip(graph.tail, graph.head, strict=True)), **told), path
    )
    return str(path)


def _expected(collective: str) -> Fraction:
    """Two steps a phase; 11/12 M at the limit a phase, and combined at 1 Tbps in the first."""
    phases = 2 if collective == "allreduce" else 1
    moved = phases * (2 * Fraction(1, 10**5) + Fraction(11, 12) * MIB / LIMIT)
    combined = Fraction(11, 12) * MIB / (125 * 10**9) if phases == 2 else Fraction()
    return Fraction(1, 50_000) + moved + combined


@pytest.mark.parametrize("method", ["bfb", "forest"])
@pytest.mark.parametrize("collective", ["allgather", "allreduce"])
def test_options_and_files_say_the_same(file, tmp_path, method: str, collective: str) -> None:
    by_option = tf.schedule(
        NAME, tmp_path / "a.npz", method=method, collective=collective, **TIMES, **HOSTS
    )
    by_file = tf.schedule(file, tmp_path / "b.npz", method=method, collective=collective, **TIMES)
    for made in (by_option, by_file):
        seconds = made.runtime if method == "bfb" else made.record.duration.best
        assert seconds == _expected(collective)
    checked = tf.verify(tmp_path / "b.npz", on=file, **TIMES)
    assert checked.valid
    found = checked.record.stepped if method == "bfb" else checked.record.duration.best
    assert found == _expected(collective)


def test_the_quickest_method_counts_them(file, tmp_path) -> None:
    made = tf.schedule(file, collective="allreduce", **TIMES)
    assert {each.method for each in made.record.methods if each.seconds} >= {"bfb", "forest"}
    refused = {each.method: each.reason for each in made.record.methods if each.reason}
    assert refused["timed"] == "--reduce-rate: --method timed knows no time of combining"


def test_files_with_a_limit_that_binds_nowhere_are_as_without(tmp_path) -> None:
    graph, files = tf.build(NAME).topology, (tmp_path / "plain.json", tmp_path / "open.json")
    arcs = list(zip(graph.tail, graph.head, strict=True))
    for limit, path in zip((None, 4), files, strict=True):
        write_topology(Topology.from_arcs(graph.n, arcs, injection=limit), path)
    for asked in ({}, {"overlap": True, "method": "forest"}, {"method": "timed"}):
        plain, limited = (
            tf.schedule(str(path), collective="allreduce", **TIMES, **asked).to_dict()
            for path in files
        )
        changed = {key for key in plain if plain[key] != limited.get(key)}
        assert changed <= {"subject", "seconds", "digest", "trials"}  # seconds of work


def test_a_forest_is_timed_with_limits_that_its_file_does_not_tell(tmp_path) -> None:
    tf.schedule(NAME, tmp_path / "c.npz", method="forest", collective="allreduce")
    found = tf.verify(tmp_path / "c.npz", **TIMES, **HOSTS)
    assert found.record.duration.best == _expected("allreduce")
    plain = tf.verify(tmp_path / "c.npz", **TIMES)
    assert plain.record.duration.best < found.record.duration.best


def test_throughput_obeys_the_limit(file, tmp_path) -> None:
    """Distances from a node add up to 18, so that 12/5 of egress gives 2/15 at most."""
    told = tf.throughput(NAME, bandwidth="100Gbps", injection="60Gbps")
    by_file = tf.throughput(file, certificate=tmp_path / "proof.npz")
    assert told.exact == by_file.exact == Fraction(2, 15)
    assert (by_file.record.n, by_file.record.d) == (12, 4)
    assert tf.verify(tmp_path / "proof.npz", on=file).valid
    assert not tf.verify(tmp_path / "proof.npz", on=NAME).valid
    assert tf.throughput(NAME).exact == Fraction(3, 14)


def test_demands_are_among_the_hosts_alone(file) -> None:
    found = tf.throughput(file, pattern="shift:1")
    assert found.exact is not None
    assert found.exact <= Fraction(12, 5) / 2


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda file: tf.throughput(NAME, injection="1Gbps"), "--injection needs --bandwidth"),
        (lambda file: tf.throughput(file, injection="1Gbps", bandwidth="1Gbps"),
         "--injection: the topology tells it of its hosts itself"),
        (lambda file: tf.schedule(file, method="bfb", **TIMES, injection="1Gbps"),
         "--injection: the topology tells it of its hosts itself, otherwise"),
        (lambda file: tf.schedule(NAME, method="forest", injection="1Gbps"),
         "are for the time that a --size takes"),
        (lambda file: tf.schedule(file, method="timed", collective="reduce", root=0, **TIMES),
         "--reduce-rate: --method timed knows no time of combining"),
    ],
)  # fmt: skip
def test_mistakes_are_refused(file, call, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        call(file)


def test_the_same_said_twice_is_no_mistake() -> None:
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)], injection=Fraction(1, 2))
    given = HostCosts(injection=Fraction(1))
    assert host_costs_of(pair, Fraction(2), given) == given


def test_timetables_that_combine_nothing_take_a_reduce_rate() -> None:
    asked = {"method": "timed", **TIMES}
    made = [tf.schedule(NAME, **asked, **more) for more in ({}, {"reduce_rate": "1Tbps"})]
    assert made[0].timetable.seconds == made[1].timetable.seconds
    with pytest.raises(InvalidInput, match="knows no time of combining"):
        tf.schedule(NAME, collective="allreduce", **asked, reduce_rate="1Tbps")


def _sent_at_once(timetable: tf.Timetable) -> Fraction:
    """The most that a host sends at once, in links of capacity 1: added up at every begin."""
    graph, (first, last) = timetable.topology, timetable.channel_ends()
    unit, (start, arcs) = timetable.channel_ticks()[1], timetable.routes
    rooms = [
        Fraction(1) if graph.capacity is None else graph.capacity[arc] for arc in range(graph.arcs)
    ]
    rates = rooms + [min(rooms[arc] for arc in arcs[i:j]) for i, j in pairwise(start.tolist())]
    busiest = Fraction()
    sends = list(zip(timetable.channel.tolist(), timetable.begin.tolist(), strict=True))
    for ends in (first, last):
        for host in range(NODES):
            own = [(c, b, b + int(unit[c])) for c, b in sends if ends[c] == host]
            for _, now, _ in own:
                at_once = [rates[c] for c, begin, end in own if begin <= now < end]
                busiest = max(busiest, sum(at_once, Fraction()))
    return busiest


@pytest.mark.parametrize("collective", ["allgather", "allreduce", "all-to-all"])
def test_timetables_keep_to_the_limit_and_take_epsilon(tmp_path, collective: str) -> None:
    asked = {"method": "timed", "collective": collective, **TIMES}
    free = tf.schedule(NAME, **asked)
    hosts = {"epsilon": "20us", "injection": "60Gbps"}
    made = tf.schedule(NAME, tmp_path / "a.npz", **asked, **hosts)
    late = tf.schedule(NAME, **asked, epsilon="20us")
    assert late.time == free.time + Fraction(1, 50_000)
    assert late.bound == free.bound + Fraction(1, 50_000)
    assert _sent_at_once(free.timetable) == 4
    assert _sent_at_once(made.timetable) <= Fraction(12, 5)
    assert made.time > late.time
    assert made.time == made.timetable.seconds + Fraction(1, 50_000)
    checked = tf.verify(tmp_path / "a.npz")
    assert checked.valid
    assert checked.record.time == made.time == tf.show(tmp_path / "a.npz").time
    assert checked.record.bound <= made.time
    assert tf.load(tmp_path / "a.npz").recipe is None  # whose links have no such limit


def test_timetables_of_a_file_whose_hosts_are_limited(file, tmp_path) -> None:
    by_option = tf.schedule(NAME, method="timed", **TIMES, epsilon="20us", injection="60Gbps")
    by_file = tf.schedule(file, tmp_path / "b.npz", method="timed", **TIMES)
    assert by_file.time == by_option.time
    assert tf.verify(tmp_path / "b.npz", on=file).valid
    assert not tf.verify(tmp_path / "b.npz", on=NAME).valid


def test_epsilon_is_asked_of_a_timetable_that_tells_none(tmp_path) -> None:
    made = tf.schedule(NAME, tmp_path / "c.npz", method="timed", **TIMES)
    found = tf.verify(tmp_path / "c.npz", epsilon="20us")
    assert found.record.time == made.time + Fraction(1, 50_000)
    assert found.to_dict()["epsilon"] == "1/50000"
    assert "of which hosts add 20.0 us" in str(found)
    with pytest.raises(InvalidInput, match="a timetable has its hosts' limits within"):
        tf.verify(tmp_path / "c.npz", injection="1Gbps")


def test_the_quickest_method_counts_epsilon_and_limits_of_timetables() -> None:
    made = tf.schedule(NAME, **TIMES, epsilon="20us", injection="60Gbps")
    times = {each.method: each.seconds for each in made.record.methods if each.seconds}
    by_name = tf.schedule(NAME, method="timed", **TIMES, epsilon="20us", injection="60Gbps")
    assert times["timed"] == by_name.time
