"""A few lines of each command that show how it is used, for the end of its help."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "search": (
        "topofinder search --n 1024 --d 4",
        "topofinder search --n 48 --d 6 --alpha 10us --size 1MiB --bandwidth 100Gbps",
        "topofinder search --n 32 --gpus 8 --d 1 --inner 450GB/s --bandwidth 50GB/s",
    ),
    "sweep": ("topofinder sweep --n 2:2000 --d 2,4,8 --db fabrics.db",),
    "discover": ("topofinder discover --n 60 --d 4 --time 2min",),
    "query": (
        "topofinder query --n 100:200 --d 4 --sort bandwidth",
        "topofinder query --n 64 --alpha 10us --size 1MiB --bandwidth 100Gbps --csv",
    ),
    "schedule": (
        "topofinder schedule 'L(K(4,4))' --collective allreduce -o allreduce.npz",
        "topofinder schedule 'DGXA100(2)' --method forest -o trees.npz",
    ),
    "verify": (
        "topofinder verify allreduce.npz",
        "topofinder verify allreduce.npz --alpha 10us --size 1MiB --bandwidth 100Gbps",
    ),
    "export": ("topofinder export allreduce.npz --format msccl -o allreduce.xml",),
    "run": ("mpirun -n 8 topofinder run allreduce.npz --sizes 1MiB,16MiB",),
    "show": (
        "topofinder show 'DGXA100(2)' --baselines",
        "topofinder show 'L^3(C(16,{3,4}))'",
        "topofinder show allreduce.npz --rank 0 --size 1MiB",
    ),
    "build": ("topofinder build 'Torus(8,8)' -o torus.graphml",),
    "throughput": (
        "topofinder throughput 'C(64,{5,6})'",
        "topofinder throughput --recipes recipes.txt --json --jobs 2",
    ),
    "train": ("topofinder train --n 64 --d 4 --model gpt2-small --alpha 10us --bandwidth 100Gbps",),
    "fit": ("topofinder fit timings.csv",),
    "inventory": ("topofinder inventory 'Torus(4,4)' -o fabric.json --current wired.csv",),
    "plan": (
        "topofinder plan --inventory fabric.json --current wired.csv --to 'Q(4)' -o plan.csv",
    ),
    "replay": (
        "topofinder replay plan.csv --inventory fabric.json --current wired.csv",
        "topofinder replay plan.csv --inventory fabric.json --current wired.csv --journal j.csv",
    ),
    "check": (
        "topofinder check --inventory fabric.json --expected wired.csv --observed lldp.json",
    ),
    "plan-phases": (
        "topofinder plan-phases allreduce:1GiB,all-to-all:64MiB --n 64 --d 4 --change 10ms "
        "--alpha 10us --bandwidth 100Gbps",
    ),
    "plan-jobs": (
        "topofinder plan-jobs jobs.json --d 4 --inventory fabric.json --current wired.csv",
    ),
    "report": (
        "topofinder report --n 64 --d 4 -o report.html",
        "topofinder report --n 2:256 --d 4 -o range.md",
    ),
    "atlas": (
        "topofinder atlas --db fabrics.db -o atlas",
        "topofinder atlas --db fabrics.db --n 2:256 --d 4 --files edges -o small",
    ),
    "draw": (
        "topofinder draw 'C(24,{3,4})' -o graph.svg",
        "topofinder draw allreduce.npz --view loads -o loads.svg",
        "topofinder draw --inventory fabric.json -o panels.svg",
    ),
    "reproduce": (
        "topofinder reproduce table4",
        "topofinder reproduce --all --quick -o page.md",
    ),
    "serve": ("topofinder serve --db fabrics.db",),
    "merge": (
        "topofinder merge theirs.db --into fabrics.db --prove",
        "topofinder merge better.edges --into fabrics.db --name golf",
    ),
    "export-db": ("topofinder export-db --n 2:64 -o small.db",),
    "warm": ("topofinder warm --jobs 4",),
    "doctor": ("topofinder doctor --db fabrics.db",),
}
"""By command; `<` and `>` are avoided, so that each line can be pasted as it stands."""
