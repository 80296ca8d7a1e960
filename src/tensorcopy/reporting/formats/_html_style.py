"""How HTML looks: one style sheet for page and notebook, light and dark, every rule within ``.tensorcopy``."""

from __future__ import annotations

from ..palette import ON_DARK, ON_WHITE


def _curve_colors(colors: tuple[str, ...]) -> str:
    return "".join(f"--s{number}:{color};" for number, color in enumerate(colors))


_LIGHT = """
--bg:#fff;--fg:#1b1f24;--muted:#57606a;--line:#d0d7de;--panel:#f6f8fa;--head:#eef1f4;--link:#0a58a6;
--good:#0b6447;--good-bg:#e2f4ec;--warn:#7a4d00;--warn-bg:#fff2d1;--bad:#a32410;--bad-bg:#fdeae5;
--span:#0072b2;--shared:#e69f00;--copied:#b9d9ee;
color-scheme:light;""" + _curve_colors(ON_WHITE)
_DARK = """
--bg:#14181d;--fg:#e6e9ed;--muted:#a3acb8;--line:#3a424c;--panel:#1d232a;--head:#262d36;--link:#7cc0f5;
--good:#6fd9b0;--good-bg:#12362a;--warn:#f2c661;--warn-bg:#3a2e10;--bad:#ff9d88;--bad-bg:#45211a;
--span:#56b4e9;--shared:#e69f00;--copied:#1f4f70;
color-scheme:dark;""" + _curve_colors(ON_DARK)

_RULES = """
.tensorcopy{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
.tensorcopy *{box-sizing:border-box}
.tensorcopy :is(h1,h2,h3,h4,h5,h6){line-height:1.25;margin:1.6em 0 .4em;overflow-wrap:anywhere;font-weight:650}
.tensorcopy h1{font-size:1.7em;margin-top:0}.tensorcopy h2{font-size:1.3em}.tensorcopy h3{font-size:1.1em}
.tensorcopy :is(h4,h5,h6){font-size:1em}
.tensorcopy h2{border-bottom:1px solid var(--line);padding-bottom:.2em}
.tensorcopy p{margin:.5em 0;max-width:75ch;overflow-wrap:anywhere}
.tensorcopy .lead{font-size:1.1em}
.tensorcopy a{color:var(--link)}
.tensorcopy :is(code,pre,.n){font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.9em}
.tensorcopy pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.6em .9em;margin:.5em 0;
overflow-x:auto;line-height:1.45;color:inherit}
.tensorcopy td code{white-space:pre-wrap;overflow-wrap:break-word;background:none;padding:0;color:inherit}
.tensorcopy pre code{background:none;padding:0;color:inherit;font-size:1em}
.tensorcopy figure{margin:1em 0}
.tensorcopy .title{font-weight:600;text-align:left;padding:.2em 0;margin:1em 0 .2em;color:inherit}
.tensorcopy .scroll{overflow-x:auto;margin:.6em 0}
.tensorcopy table{border-collapse:collapse;color:var(--fg);font-size:.95em;line-height:1.5;margin:0;
text-align:left;border:0}
.tensorcopy caption{caption-side:top}
.tensorcopy :is(th,td){padding:.32em .7em;border:0;border-bottom:1px solid var(--line);vertical-align:top;
text-align:left;color:inherit}
.tensorcopy thead th{background:var(--head);font-weight:600;vertical-align:bottom}
.tensorcopy tbody tr{background:none}
.tensorcopy :is(th,td).right{text-align:right}
.tensorcopy td.quantity{white-space:nowrap;font-variant-numeric:tabular-nums}
.tensorcopy td.whole{white-space:nowrap}
.tensorcopy td.text{min-width:9em;overflow-wrap:anywhere}
.tensorcopy td.code{min-width:9em}
.tensorcopy .sortable td.code:last-child code{display:inline-block;width:max-content;max-width:21em}
.tensorcopy th button{all:unset;cursor:pointer;font:inherit}
.tensorcopy th button::after{content:"\\a0\\2195";color:var(--muted)}
.tensorcopy th[aria-sort=ascending] button::after{content:"\\a0\\2191";color:inherit}
.tensorcopy th[aria-sort=descending] button::after{content:"\\a0\\2193";color:inherit}
.tensorcopy :is(a,button,summary,[tabindex]):focus-visible{outline:2px solid var(--link);outline-offset:1px}
.tensorcopy .good{color:var(--good)}.tensorcopy .warn{color:var(--warn)}.tensorcopy .bad{color:var(--bad)}
.tensorcopy .verdict{display:inline-block;border-radius:1em;padding:0 .6em;background:var(--panel);white-space:nowrap}
.tensorcopy .verdict.good{background:var(--good-bg)}.tensorcopy .verdict.warn{background:var(--warn-bg)}
.tensorcopy .verdict.bad{background:var(--bad-bg)}
.tensorcopy .nothing{color:var(--muted)}
.tensorcopy .notes{font-size:.88em;color:var(--muted);margin:.3em 0 .8em;padding-left:1.6em;max-width:85ch}
.tensorcopy ul.notes{list-style:none;padding-left:0}
.tensorcopy sup{line-height:0;margin-left:.15em}
.tensorcopy dl{display:grid;grid-template-columns:minmax(7em,max-content) 1fr;gap:.25em 1.2em;margin:.6em 0}
.tensorcopy dt{color:var(--muted);font-weight:400;overflow-wrap:anywhere}
.tensorcopy dd{margin:0;max-width:75ch;overflow-wrap:anywhere}
.tensorcopy .callout{border-left:4px solid var(--line);background:var(--panel);border-radius:0 6px 6px 0;
padding:.5em .9em;margin:1em 0;color:var(--fg);max-width:85ch}
.tensorcopy .callout p{margin:.25em 0}
.tensorcopy .callout pre{background:var(--bg)}
.tensorcopy .callout.good{border-color:var(--good);background:var(--good-bg)}
.tensorcopy .callout.warn{border-color:var(--warn);background:var(--warn-bg)}
.tensorcopy .callout.bad{border-color:var(--bad);background:var(--bad-bg)}
.tensorcopy .callout .kind{font-weight:650}
.tensorcopy .callout.good .kind{color:var(--good)}.tensorcopy .callout.warn .kind{color:var(--warn)}
.tensorcopy .callout.bad .kind{color:var(--bad)}
.tensorcopy .callout.card{max-width:none;background:none;border:1px solid var(--line);border-left:4px solid var(--line);
border-radius:6px;padding:0 .9em .7em;overflow-wrap:anywhere}
.tensorcopy .callout.card>p:first-child{margin:0 -.9em .6em;padding:.45em .9em;border-radius:0 6px 0 0;max-width:none}
.tensorcopy .callout.card.bad{border-left-color:var(--bad);background:none}
.tensorcopy .callout.card.warn{border-left-color:var(--warn);background:none}
.tensorcopy .callout.card.bad>p:first-child{background:var(--bad-bg)}
.tensorcopy .callout.card.warn>p:first-child{background:var(--warn-bg)}
.tensorcopy .callout.card pre{background:var(--panel)}
.tensorcopy .callout.card figure{margin:.6em 0}.tensorcopy .callout.card .title{margin:.6em 0 0}
.tensorcopy .memory{width:100%;max-width:64em}
.tensorcopy .memory .picture{padding:0;width:45%;min-width:9em}
.tensorcopy .memory thead .picture{padding:.32em 0}
.tensorcopy .memory .ends{display:flex;justify-content:space-between;font-weight:400;font-size:.88em;color:var(--muted)}
.tensorcopy .memory tbody .picture{position:relative;height:2.15em}
.tensorcopy .memory svg{position:absolute;inset:0;width:100%;height:100%}
.tensorcopy .memory :is(th,td:last-child){min-width:8em;overflow-wrap:break-word}
.tensorcopy .memory caption span{font-weight:400}
.tensorcopy .storage{fill:var(--head)}.tensorcopy .dense{fill:var(--span)}.tensorcopy .gaps{fill:var(--span)}
.tensorcopy .band{fill:var(--shared);fill-opacity:.38}.tensorcopy .both{fill:var(--shared)}
.tensorcopy .plot{width:100%;min-width:34em;max-width:56em;height:auto;display:block}
.tensorcopy .plot text{fill:var(--fg);font:13px system-ui,-apple-system,"Segoe UI",sans-serif}
.tensorcopy .plot .tick{fill:var(--muted);font-size:12px}
.tensorcopy .plot .grid{stroke:var(--line);stroke-width:1}
.tensorcopy .plot .frame{stroke:var(--muted);stroke-width:1;fill:none}
.tensorcopy .plot .curve{fill:none;stroke-width:2}.tensorcopy .plot .strong .curve{stroke-width:3.5}
.tensorcopy .plot .strong text{font-weight:700}
.tensorcopy .plot .spread{fill-opacity:.16;stroke:none}.tensorcopy .plot .leader{stroke-width:1;fill:none}
.tensorcopy .plot .marker{stroke:var(--bg);stroke-width:1}
.tensorcopy summary{cursor:pointer;color:var(--muted);font-size:.9em}
.tensorcopy .source{width:100%;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow-x:auto;
padding:.4em 0}
.tensorcopy .source td{border:0;padding:0 .8em;white-space:pre;tab-size:4}
.tensorcopy .source td code{white-space:pre;overflow-wrap:normal}
.tensorcopy .source .n{text-align:right;color:var(--muted);user-select:none;width:1%}
.tensorcopy .source tr.good{background:var(--good-bg);color:inherit}
.tensorcopy .source tr.warn{background:var(--warn-bg);color:inherit}
.tensorcopy .source tr.bad{background:var(--bad-bg);color:inherit}
.tensorcopy .source mark{background:none;color:inherit;font-weight:700;text-decoration:underline 2px;
text-underline-offset:3px}
.tensorcopy .source td.remark{white-space:normal;padding-bottom:.2em}
.tensorcopy .source thead th{background:none;font-weight:400;font-size:.85em;color:var(--muted);padding:0 .8em;border:0}
.tensorcopy .source :is(th,td).amount{width:9.5em;min-width:9.5em;text-align:right;font-size:.85em;
font-variant-numeric:tabular-nums;padding:0 .4em}
.tensorcopy .source td.amount span{display:block;padding:0 .4em;border-radius:3px;
background:linear-gradient(to left,var(--copied) var(--share),transparent var(--share))}
.tensorcopy .source .n a{color:inherit;text-decoration:none}.tensorcopy .source .n a:hover{text-decoration:underline}
.tensorcopy .source .remark a{color:inherit}
.tensorcopy .source .beside{color:var(--muted);font-size:.85em;margin-left:2em;user-select:none}
.tensorcopy .source tr:target{outline:2px solid var(--link);outline-offset:-2px}
.tensorcopy .callout:target{outline:2px solid var(--link);outline-offset:2px}
.tensorcopy .source tr{scroll-margin:5em}
.tensorcopy .callout{scroll-margin:2em}
.tensorcopy .plot .moment{stroke:var(--muted);stroke-width:1.5;stroke-dasharray:4 3}
.tensorcopy .plot .moment.bad{stroke:var(--bad)}.tensorcopy .plot .moment.warn{stroke:var(--warn)}
.tensorcopy .moments{font-size:.88em;margin:.3em 0 .8em;padding-left:1.4em}
.tensorcopy .moments a{color:inherit}
.tensorcopy .way{list-style:none;margin:.6em 0;padding:0}
.tensorcopy .way li>div{display:flex;flex-direction:column;width:fit-content;max-width:100%;
border:1px solid var(--line);border-radius:6px;background:var(--panel);padding:.4em .8em}
.tensorcopy .way li.bad>div{border-color:var(--bad);background:var(--bad-bg)}
.tensorcopy .way li.good>div{border-color:var(--good);background:var(--good-bg)}
.tensorcopy .way li+li:not(.cut)::before{content:"";display:block;width:2px;height:1.1em;margin-left:1.4em;
background:var(--muted)}
.tensorcopy .way li.cut{margin-left:calc(1.4em + 1px);padding:.6em .9em;border-left:2px dotted var(--bad);
font-weight:600}
.tensorcopy .way li.cut+li::before{display:none}
.tensorcopy .way code{overflow-wrap:anywhere}
.tensorcopy .way .remark{color:var(--muted);font-size:.88em}
.tensorcopy .filter{display:flex;gap:.6em;align-items:baseline;margin:.3em 0;font-size:.9em;font-weight:400;
color:var(--muted)}
.tensorcopy .filter input{font:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--line);
border-radius:6px;padding:.25em .6em;width:18em;max-width:60vw}
.tensorcopy .filter input:focus-visible{outline:2px solid var(--link);outline-offset:1px}
.tensorcopy nav ul{columns:16em;padding-left:1.2em;margin:.6em 0}
@media print{.tensorcopy{font-size:11px}
.tensorcopy :is(tr,figure,.callout,pre,svg){break-inside:avoid}.tensorcopy :is(h1,h2,h3,h4,.title){break-after:avoid}
.tensorcopy .scroll{overflow:visible}.tensorcopy pre{white-space:pre-wrap}
.tensorcopy{print-color-adjust:exact}.tensorcopy th button::after{content:""}}
"""

STYLE = (
    f".tensorcopy{{{_LIGHT}}}"
    f"@media screen and (prefers-color-scheme:dark){{.tensorcopy{{{_DARK}}}}}"
    f'[data-jp-theme-light="true"] .tensorcopy,body.vscode-light .tensorcopy{{{_LIGHT}}}'
    f'[data-jp-theme-light="false"] .tensorcopy,body.vscode-dark .tensorcopy{{{_DARK}}}' + _RULES
).replace("\n", "")

PAGE_STYLE = (
    "@media (max-width:40em){.tensorcopy .source :is(th,td).amount{width:5.5em;min-width:5.5em}"
    ".tensorcopy .source td{padding:0 .5em}}"
    "body{margin:0}.tensorcopy{min-height:100vh;padding:2em max(1.2em,calc(50vw - 34em))}"
    "@media print{.tensorcopy{padding:0;min-height:0}}"
)

SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => row.cells[column].dataset.value ?? "";
      const order = (a, b) => key(a) === "" ? 1 : key(b) === "" ? -1 :
        (up ? 1 : -1) * (key(a) - key(b) || key(a).localeCompare(key(b)));
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
    };
  });
}
for (const table of document.querySelectorAll("table.filtered")) {
  const box = document.createElement("label"), input = document.createElement("input"),
    count = document.createElement("span"), rows = [...table.tBodies[0].rows];
  input.type = "search";
  count.setAttribute("role", "status");
  box.className = "filter";
  box.append("Filter", input, count);
  table.caption ? table.caption.append(box) : table.parentElement.before(box);
  input.oninput = () => {
    const words = input.value.toLowerCase().split(" ").filter(Boolean);
    for (const row of rows) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
    count.textContent = words.length ? `${rows.filter(row => !row.hidden).length} of ${rows.length}` : "";
  };
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
"""
