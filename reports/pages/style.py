"""How a page looks on a wide screen, on a narrow one and on paper."""

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; color: #1a1a1a; background: #fff;
  font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #bbb; }
p { max-width: 46rem; margin: .5rem 0; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 1rem; }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; max-width: 38rem; height: auto; }
figcaption, caption { text-align: left; font-size: .9rem; color: #444; padding: .25rem 0; }
.scroll { overflow-x: auto; max-width: 100%; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left;
  vertical-align: top; }
th { background: #f2f2f2; }
td.number { text-align: right; white-space: nowrap; }
td { max-width: 22rem; overflow-wrap: break-word; }
th.key { font-weight: normal; font-family: monospace; background: none; }
summary { cursor: pointer; color: #444; font-size: .9rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  table { font-size: 6.5pt; }
  th, td { padding: .1rem .25rem; }
  td, th.key { overflow-wrap: anywhere; }
  figure, table, tr { break-inside: avoid; }
  figure svg { max-width: 12cm; }
  h2 { break-after: avoid; }
}
"""
