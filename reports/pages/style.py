"""The style of all pages: for wide and narrow screens, light and dark ones, and for paper."""

HEAT = ("#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#7fb8da", "#6baed6")
"""From what meets its bound to what is far above it; dark letters are read on all of them."""

_LIGHT = """--ink: #1a1a1a; --paper: #fff; --soft: #4a4a4a; --line: #d0d0d0; --head: #f2f2f2;
  --link: #0b57a4; --c0: #0072b2; --c1: #c04c00; --c2: #007a5a; --c3: #a8447f;"""
_DARK = """--ink: #e8e8e8; --paper: #16181c; --soft: #b8b8b8; --line: #44484e; --head: #24272d;
  --link: #8ab8f0; --c0: #56b4e9; --c1: #f09050; --c2: #3fc69a; --c3: #e59ac6;"""

STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 78rem; padding: 1rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }}
a {{ color: var(--link); }}
:focus-visible {{ outline: 3px solid var(--link); outline-offset: 1px; }}
h1 {{ font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }}
p, pre {{ max-width: 46rem; margin: .5rem 0; overflow-wrap: anywhere; }}
pre {{ white-space: pre-wrap; background: var(--head); padding: .4rem .6rem; font-size: .85rem; }}
nav a {{ margin-right: 1rem; }}
.plots {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 1rem; }}
figure {{ margin: 0; min-width: 0; overflow-x: auto; }}
figure > svg {{ display: block; width: 100%; min-width: 35rem; max-width: 38rem; height: auto;
  background: #fff; }}
figure > svg:not(.costs) text {{ font-family: "DejaVu Sans", Verdana, sans-serif; }}
figure > svg.costs {{ min-width: 0; max-width: 32rem; background: none; overflow: visible; }}
.costs text {{ font-size: 12.5px; fill: var(--ink); }}
.costs .grid {{ stroke: var(--line); stroke-width: .6; }}
.costs .bound {{ stroke: var(--soft); stroke-dasharray: 4 3; fill: none; }}
.costs .step {{ fill: none; stroke-width: 1.2; opacity: .7; }}
.costs .tip {{ visibility: hidden; }}
.costs a:hover .tip, .costs a:focus .tip {{ visibility: visible; }}
.symbol {{ stroke: var(--paper); stroke-width: .6; }}
.symbol.s0 {{ fill: var(--c0); }} .symbol.s1 {{ fill: var(--c1); }}
.symbol.s2 {{ fill: var(--c2); }} .symbol.s3 {{ fill: var(--c3); }}
.step.s0 {{ stroke: var(--c0); }} .step.s1 {{ stroke: var(--c1); }}
.legend {{ list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .2rem 0;
  padding: 0; font-size: .9rem; }}
.legend svg {{ width: .9em; height: .9em; }}
figcaption, caption {{ text-align: left; font-size: .9rem; color: var(--soft); padding: .25rem 0; }}
.scroll {{ overflow-x: auto; max-width: 100%; margin: .5rem 0; }}
table {{ border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }}
th {{ background: var(--head); }}
td.number {{ text-align: right; white-space: nowrap; }}
td {{ max-width: 22rem; overflow-wrap: break-word; }}
th.key {{ font-weight: normal; font-family: monospace; background: none; min-width: 11rem; }}
th button {{ font: inherit; color: inherit; background: none; border: 0; padding: 0;
  text-align: left; cursor: pointer; }}
th button::after {{ content: " \\2195"; color: var(--soft); }}
th[aria-sort=ascending] button::after {{ content: " \\2191"; }}
th[aria-sort=descending] button::after {{ content: " \\2193"; }}
.filter {{ font-size: .85rem; }}
input {{ font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--soft); }}
tr:target {{ outline: 2px solid var(--link); }}
summary {{ cursor: pointer; color: var(--soft); font-size: .9rem; }}
.heat {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(4.2rem, 1fr)); gap: 2px; }}
.heat a, td.cell a {{ display: block; padding: .1rem .3rem; color: #111; text-decoration: none;
  font-size: .8rem; text-align: center; }}
.heat b {{ display: block; }}
.shades span {{ display: inline-block; padding: .1rem .5rem; color: #111; font-size: .85rem; }}
{" ".join(f".h{place} {{ background: {colour}; }}" for place, colour in enumerate(HEAT))}
@media print {{
  :root {{ {_LIGHT} }}
  body {{ max-width: none; padding: 0; font-size: 10pt; }}
  nav, .filter {{ display: none; }}
  .scroll {{ overflow: visible; }}
  table {{ font-size: 6.5pt; }}
  th, td {{ padding: .1rem .25rem; }}
  td, th.key {{ overflow-wrap: anywhere; }}
  figure, table, tr {{ break-inside: avoid; }}
  figure > svg {{ min-width: 0; max-width: 12cm; }}
  h2 {{ break-after: avoid; }}
}}
"""
