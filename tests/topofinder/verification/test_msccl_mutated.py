"""Every MSCCL program that is wrong in one place is refused, and none that is lowered."""

import pytest

from generators.errors import InvalidInput
from tests.msccl_programs import CHANGES, content_of, mutations, program_text
from tests.msccl_twin import find_fault
from topofinder.verification.msccl_programs import SLOTS, verify_msccl
from topofinder.verification.msccl_reader import MscclFile, parse_msccl
from topofinder.verification.msccl_rules import RUNTIMES, collective_of, static_violation
from topofinder.verification.msccl_runs import (
    connect_lines,
    lay_out,
    run_violation,
)

PROGRAMS = {
    "Q(3) allreduce": ("Q(3)", "allreduce", {}),
    "Q(3) allgather": ("Q(3)", "allgather", {}),
    "Torus(3,4) allreduce": ("Torus(3,4)", "allreduce", {}),
    "L(K(3,3)) allreduce": ("L(K(3,3))", "allreduce", {"dialect": "rccl"}),
    "BiRing(4,8) reduce-scatter": ("BiRing(4,8)", "reduce-scatter", {}),
    "Diamond*2 allgather": ("Diamond*2", "allgather", {"in_place": True}),
    "Pi(2,13) reduce-scatter": ("Pi(2,13)", "reduce-scatter", {"in_place": True}),
    "C(12,{2,3}) allreduce": ("C(12,{2,3})", "allreduce", {"protocol": "LL128"}),
    "K(4) allreduce": ("K(4)", "allreduce", {"protocol": "LL"}),
    "Torus(4,4) reduce-scatter": ("Torus(4,4)", "reduce-scatter", {}),
    "Pi(4,16) allreduce": ("Pi(4,16)", "allreduce", {"channels": 2}),
    "K(3)*2 allgather": ("K(3)*2", "allgather", {"dialect": "msccl"}),
    "UniRing(2,5) allreduce": ("UniRing(2,5)", "allreduce", {}),
}


def program_of(name: str) -> MscclFile:
    subject, collective, options = PROGRAMS[name]
    return parse_msccl(program_text(content_of(subject, collective), **options))


def is_refused(program: MscclFile, dialect: str | None) -> bool:
    try:
        return not verify_msccl(program, dialect=dialect).valid
    except InvalidInput:
        return True


def require_all_refused(name: str, wanted: int, seed: int) -> int:
    program, tried = program_of(name), 0
    dialect = PROGRAMS[name][2].get("dialect")
    assert verify_msccl(program, dialect=dialect).violation is None
    for kind in CHANGES:
        for number, mutated in enumerate(mutations(program, kind, wanted, seed)):
            assert is_refused(mutated, dialect), (name, kind, number)
            tried += 1
    return tried


def test_a_thousand_mutations() -> None:
    assert len(PROGRAMS) >= 12
    assert sum(require_all_refused(name, 10, 1) for name in PROGRAMS) >= 1000


@pytest.mark.parametrize("name", ["Q(3) allreduce", "UniRing(2,5) allreduce", "Q(3) allgather",
                                  "Pi(2,13) reduce-scatter", "K(4) allreduce"])  # fmt: skip
def test_kernels_find_what_the_twin_finds(name: str) -> None:
    """On programs that the static rules let through, right ones and wrong ones."""
    program, compared = program_of(name), 0
    wrong = [each for kind in CHANGES for each in mutations(program, kind, 8, 2)]
    for each in (program, *wrong):
        if static_violation(each, RUNTIMES["executor"]) is None:
            lines = connect_lines(each)
            if not isinstance(lines, str):
                compared += 1
                require_same_as_twin(each, lines)
    assert compared > 3


def require_same_as_twin(program: MscclFile, lines) -> None:  # type: ignore[no-untyped-def]
    slots, in_place = SLOTS[program.head["proto"]], program.head["inplace"] == "1"
    fault = find_fault(program, collective_of(program), in_place, slots)
    order, done = lines.run(slots, 71)
    if done < len(program.steps):
        assert fault in ("deadlock", "value")
        return
    told, _ = run_violation(lines, lay_out(program, in_place), order[:done], slots)
    if told is None or " ends without " in told:
        assert fault == (told and "end"), told
    else:  # where accesses are in no order, values depend on it
        assert fault in ("race", "value"), told
