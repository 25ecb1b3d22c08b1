"""What a page runs, and nothing else: tables are sorted by a click on a head, and filtered.

Without it, as on paper, the page is the same but for the buttons. The page's content security
policy names the hash of this text.
"""

from base64 import b64encode
from hashlib import sha256

TABLE_SCRIPT = """
"use strict";
const worth = text => {
  const part = /^([+-]?[0-9.]+)(?:\\/([0-9]+))?(?:e([+-]?[0-9]+))?$/.exec(text.replaceAll(",", ""));
  return part ? Number(part[1]) / Number(part[2] || 1) * 10 ** Number(part[3] || 0) : NaN;
};
const compare = (one, other) => {
  const [a, b] = [worth(one), worth(other)];
  if (!isNaN(a) && !isNaN(b)) return a - b;
  return isNaN(a) - isNaN(b) || one.localeCompare(other, "en", {numeric: true});
};
const sort = (table, place) => {
  const heads = [...table.tHead.rows[0].cells];
  const up = heads[place].getAttribute("aria-sort") !== "ascending";
  heads.forEach(head => head.removeAttribute("aria-sort"));
  heads[place].setAttribute("aria-sort", up ? "ascending" : "descending");
  const text = row => row.cells[place].textContent.trim();
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => (up ? 1 : -1) * compare(text(one), text(other)));
  table.tBodies[0].append(...rows);
};
for (const table of document.querySelectorAll("table.rows")) {
  if (table.tBodies[0].rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, place));
    head.append(button);
  });
  if (table.tBodies[0].rows.length < 8) continue;
  const label = document.createElement("label");
  const field = document.createElement("input");
  field.type = "search";
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(" ");
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  });
  label.append("Lines with ", field);
  label.className = "filter";
  table.parentNode.before(label);
}
"""
"""It writes no HTML and reads nothing but the page's own cells."""

HASH = f"sha256-{b64encode(sha256(TABLE_SCRIPT.encode()).digest()).decode()}"
"""By which the policy lets this text run, and no other."""
