"""`topofinder plan`: the patch moves from the wiring in place to a topology."""

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.plan_crews import crew_schedule, require_crews
from topofinder.api.plan_work_order import require_page, write_work_order
from topofinder.api.shared.bills import inventory_bill
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.workloads import read_seconds
from topofinder.exporters.sonic_ocs import require_format, require_switches, write_scripts
from topofinder.model.candidate import LinkMode
from topofinder.model.file_register import TOPOLOGY
from topofinder.model.inventory.document import read_millimetres
from topofinder.model.inventory.losses import read_decibels, read_losses
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.lengths import LeastOf
from topofinder.model.plan_files import plan_paths, require_output, write_plan
from topofinder.model.workload import Workload
from topofinder.patching.failures import Failures

if TYPE_CHECKING:
    from topofinder.api.plan_records import PlanAnswer

LOGGER = logging.getLogger("topofinder.api")
PathName = str | os.PathLike[str]


def plan(
    inventory: PathName,
    current: PathName,
    to: str | Sequence[str] | None = None,
    output: PathName | None = None,
    *,
    max_moves: int | None = None,
    loss: str | None = None,
    grow: int = 0,
    workload: Workload | None = None,
    hosts: str | None = None,
    mode: LinkMode | str | None = None,
    keep_connected: bool = False,
    take_out: float | str | None = None,
    cuts: Sequence[str] = (),
    keep_throughput: float | str | None = None,
    demand: PathName | None = None,
    losses: PathName | None = None,
    loss_budget: float | str | None = None,
    reach: str | None = None,
    least: str = "moves",
    pins: Mapping[str, int] | None = None,
    start: PathName | None = None,
    fail_ports: Sequence[str] = (),
    fail_links: Sequence[str] = (),
    fail_hosts: Sequence[str] = (),
    forbid: Sequence[str] = (),
    link_rates: str | None = None,
    degraded: bool = False,
    fewer: str | None = None,
    spares: int = 0,
    seed: int = 0,
    time: float | str = 60.0,
    prices: PathName | None = None,
    form: str | None = None,
    work_order: PathName | None = None,
    crews: int | None = None,
    db: PathName | None = None,
) -> "PlanAnswer":
    """Plan as few patch moves as possible, in stages, with a rollback.

    The moves lead from the wiring in the file `current`, cross-connects or what switches show, to
    the recipe or topology file `to`, and are written beside one another under the name `output`,
    plan.csv. Of several of them the one with the fewest moves is planned, of those that take at
    most the part `loss` longer than the quickest, or with `max_moves` the quickest that takes no
    more; without any they are the frontier for the hosts in place, or for so many more as `grow`
    says (below 0: fewer), and wirings a few circuits away from the one in place. They are judged by
    the collective of a `workload`, an allreduce of 1 MiB at 10 us and 100 Gbps if none is given.

    `hosts` are names or patterns with commas between them; `pins` fix hosts to nodes; `start` is a
    CSV file with a node and a host a line, which the answer never does worse than. In the middle of
    each stage at most the share `take_out` of the links of each host, and across each of the
    `cuts`, is out, and `keep_throughput` is the share that stays of what is carried of a `demand`,
    a pattern or a file. New circuits take the ports at which, by the file of `losses`, the worst
    of them loses least, none more than the `loss_budget`, in decibels. Where the inventory has
    trays, circuits longer than the `reach`, such as 100m, are told, and the plan has the `least`
    moves, fibre, or circuits above the reach.
    Failed ports, links and hosts are called as on the command line, and so are pairs to `forbid`:
    two hosts, two ports or a host and a panel, of which no circuit is made. With `link_rates`, or
    rates in the inventory, ports are of unlike speed, see `read_rates_of_ports`; circuits join
    ports of one rate, and links have those of a file, or the quickest for the workload by BFB.
    With `degraded`, or with `fewer` moves, links, ports or hosts, the best graph that is left is
    planned where the fabric cannot take the target; others come from the frontiers in `db`, which
    also keeps the plan. So many `spares`, hosts with all ports in order, take no part. A file of
    `prices` makes a bill of the inventory's ports and panels. With the `form` "sonic-ocs" the
    commands of each optical circuit switch are written too, there and back; `work_order` is a page
    to print, .html, with the moves by panel and stage, or a list of them by crew, .csv. So many
    `crews` walk between patch panels. Every plan has passed its replay.

    Raises InvalidInput, with file and line, for whatever is wrong with the input, and OverBudget
    where no plan was found whose new circuits are within the budget of loss.
    """
    file = None if output is None else Path(output)
    page = None if work_order is None else Path(work_order)
    names = () if to is None else (to,) if isinstance(to, str) else tuple(to)
    given = {"--inventory": inventory, "--current": current, "--start": start, "--losses": losses}
    read = {name: None if one is None else str(one) for name, one in given.items()}
    for name in names or (None,):
        _require_places(file, page, read | {"--to": name})
    check_places(db, *(() if file is None else plan_paths(file)), *filter(None, [page]))
    seconds, names = read_seconds(time), tuple(whole_recipe(name, db) for name in names)
    if crews is not None:
        require_crews(crews)
    require_format(form)
    fabric = read_port_map(inventory)
    if form is not None:
        require_switches(fabric, file)
    wiring, blocked, open_ended = read_current(current, fabric)
    if open_ended is not None:
        LOGGER.warning(
            "%s: if it was cut off, circuits are missing; a prompt, or show ocs port config, tells "
            "its end",
            open_ended,
        )
    if losses is None and loss_budget is not None:
        raise InvalidInput("--loss-budget: --losses is needed, what light loses at ports")
    lost = None if losses is None else read_losses(losses, fabric)
    most = None if loss_budget is None else read_decibels(loss_budget, "--loss-budget")
    far, goal = _read_lengths(fabric, reach, least)
    failures = Failures(
        ports=[*fail_ports, *blocked], links=list(fail_links), hosts=list(fail_hosts)
    )
    bill = inventory_bill(fabric, prices)
    # Here and not above: a file that is wrong is refused before the search is imported.
    from topofinder.api.plan_drain import DrainRequest
    from topofinder.api.plan_link_rates import read_rates_of_ports
    from topofinder.api.plan_methods import PlanWish, find_plan
    from topofinder.api.plan_nearest import NearestRequest, find_nearest_plan, read_budget
    from topofinder.api.plan_records import PlanAnswer, plan_digest, plan_row, summarise_plan
    from topofinder.patching.failures import mark_failed, split_pairs
    from topofinder.patching.nearest_targets import MoveBudget

    fabric = fabric.with_forbidden(split_pairs(forbid))
    if link_rates is not None:
        if fabric.forbidden.rates:
            raise InvalidInput("--link-rates: the inventory tells the rates of ports")
        fabric = fabric.with_rates(read_rates_of_ports(link_rates, fabric))
    if failures:
        fabric = mark_failed(fabric, wiring, failures)
    wish = PlanWish(
        hosts=hosts,
        keep_connected=keep_connected,
        drain=DrainRequest(
            take_out=take_out, cuts=cuts, keep_throughput=keep_throughput, demand=demand
        ),
        seed=seed,
        time=seconds,
        pins=pins,
        start=start,
        losses=lost,
        loss_budget=most,
        reach=far,
        least=goal,
        spares=spares,
    )
    budget = read_budget(max_moves, loss)
    one = budget is None and len(names) == 1 and not grow
    if budget is None and not names and not grow:
        raise InvalidInput("--to: what to wire is needed, or --max-moves, --loss or --grow")
    if goal is not LeastOf.MOVES and (not one or degraded or fewer is not None):
        raise InvalidInput(f"--least: {goal}: for one --to alone, and without --degraded")
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(explain_wrong_file("plan", name, TOPOLOGY))
        if one:
            found = find_plan(
                fabric,
                wiring,
                names[0],
                wish,
                mode=mode,
                degraded=degraded or fewer is not None,
                fewer=fewer,
                store=None if db is None else stack.enter_context(Store(db)),
                workload=workload,
            )
        elif degraded or fewer is not None:
            raise InvalidInput("--degraded: one --to is needed, and no --max-moves or --loss")
        else:
            sought = NearestRequest(
                targets=names,
                budget=budget or MoveBudget(),
                workload=workload,
                grow=grow,
                db=db,
            )
            found = find_nearest_plan(fabric, wiring, sought, wish, mode=mode)
    shared = None if crews is None else crew_schedule(found.plan, crews)
    files = () if file is None else write_plan(found.plan, file)
    if form is not None and file is not None:
        files += write_scripts(found.plan, file)
    digest = plan_digest(found.plan)
    if page is not None:
        files += (write_work_order(found.plan, page, digest, shared),)
    store_after_all(db, lambda store: store.save_plan(plan_row(found.plan, file, digest)))
    record = summarise_plan(found, file, files, digest)
    if crews is not None and shared is not None:
        record = replace(record, crews=crews, crews_end=max(shared.ends, default=Fraction()))
    return PlanAnswer(found=found, record=record, bill=bill)


def _read_lengths(fabric: PortMap, reach: str | None, least: str) -> tuple[int | None, LeastOf]:
    """The reach in millimetres, and what there is to be the least of."""
    if least not in tuple(LeastOf):
        raise InvalidInput(f"--least: one of {', '.join(LeastOf)}, not {excerpt(least)}")
    if fabric.lengths is None and (reach is not None or least != LeastOf.MOVES):
        option = "--least" if reach is None else "--reach"
        raise InvalidInput(f"{option}: the inventory has no trays, and so no lengths")
    if least == LeastOf.REACH and reach is None:
        raise InvalidInput("--least: reach: --reach is needed, such as 100m")
    return None if reach is None else read_millimetres(reach, "--reach"), LeastOf(least)


def _require_places(file: Path | None, page: Path | None, read: Mapping[str, str | None]) -> None:
    """Refuse names of files that are written where they are those of files that are `read`."""
    if file is not None:
        require_output(file, read)
    if page is not None:
        own = () if file is None else plan_paths(file)
        require_page(page, {**read, "--output": str(page) if page in own else None})
