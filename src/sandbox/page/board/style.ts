import { COLOURS } from '../style.ts';

/** The look of the page `/_sandbox/`: from 360 pixels to a wide screen, light and dark. */
export const BOARD_STYLE = `${COLOURS}
:root {
  --good: #0b6b62; --good-wash: #dff0ec; --wait: #8a4b08; --wait-wash: #fbefdc;
  --bad: #a3262a; --bad-wash: #fbe6e4; --calm: #4d545c; --calm-wash: #ebe8e1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --good: #63cfc0; --good-wash: #17302f; --wait: #f0b562; --wait-wash: #33270f;
    --bad: #ff9c94; --bad-wash: #3b1c1b; --calm: #b4bec7; --calm-wash: #262e36;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 55%, transparent); outline-offset: 2px; border-radius: .25rem; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--card); z-index: 2; }
.skip:focus { left: .5rem; top: .5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.nowrap, time { white-space: nowrap; }
.soft, .count, .seed, .empty { color: var(--soft); }
.none { color: var(--soft); }
bdi, code, dd { overflow-wrap: anywhere; }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
h1 code { font-size: 1.125rem; }
h2 { margin: 1.75rem 0 .625rem; font-size: .9375rem; font-weight: 650; }
p { margin: .5rem 0 0; }
h1 + .soft { margin: -.5rem 0 1rem; }
.scroll + form { margin-top: .75rem; }
div + form.inline { margin-top: .75rem; }

.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .75rem 1.5rem;
  background: var(--card); border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: .625rem; font-weight: 650; color: var(--ink); text-decoration: none; }
.brand svg { width: 1.375rem; height: 1.375rem; }
.brand rect { fill: var(--accent); }
.brand path { fill: none; stroke: var(--card); stroke-width: 1.6; stroke-linecap: round; }
.seed { font-size: .8125rem; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.seed b { font-weight: 600; color: var(--ink); }
.ribbon { font-size: .8125rem; color: var(--warn); margin-left: auto; }
.livebox { font-size: .8125rem; }

.room { display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); max-width: 100rem; }
.ways { padding: 1.25rem .75rem 2rem; border-right: 1px solid var(--line); min-height: calc(100vh - 3.25rem); }
.ways ul { margin: 0; padding: 0; list-style: none; }
.ways h2 { margin: 1.25rem .75rem .375rem; font-size: .8125rem; font-weight: 600; color: var(--soft); }
.ways a {
  display: flex; justify-content: space-between; gap: .75rem; padding: .3125rem .75rem; border-radius: .5rem;
  color: var(--ink); text-decoration: none;
}
.ways a:hover { background: var(--calm-wash); }
.ways a[aria-current] { background: var(--wash); color: var(--accent); font-weight: 600; }
.of { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; }
main { padding: 1.5rem 2rem 4rem; min-width: 0; }
.crumbs { margin: 0 0 .25rem; font-size: .875rem; }

.notice { margin: 0 0 1.25rem; padding: .625rem 1rem; border-radius: .625rem; }
.notice.good { background: var(--good-wash); color: var(--good); }
.notice.bad { background: var(--bad-wash); color: var(--bad); }
.notice.calm { background: var(--calm-wash); color: var(--calm); }

.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; align-items: start; }
.stack { display: grid; gap: 1rem; min-width: 0; }
.card { padding: 1.125rem 1.25rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; min-width: 0; }
.card > h2:first-child { margin-top: 0; }
section.card + section, main > section.card { margin-top: 1.5rem; }
.cards section.card, .stack section.card { margin-top: 0; }
.big { margin: 0; font-size: 1.125rem; font-variant-numeric: tabular-nums; }
.big b { font-size: 1.75rem; font-weight: 650; letter-spacing: -.02em; }
.big small { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(3, 1fr); gap: .625rem; margin: 0; padding: 0; list-style: none; }
.tiles a { display: block; height: 100%; padding: .625rem .75rem; border-radius: .625rem; background: var(--wash); text-decoration: none; }
.tiles a:hover { box-shadow: inset 0 0 0 1px var(--accent); }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.tiles span { display: block; font-size: .8125rem; line-height: 1.35; color: var(--soft); }

.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
div.row { margin-top: .875rem; }
div.row form.act { margin: 0 .5rem 0 0; }
.bar { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; justify-content: space-between; margin-bottom: 1rem; }
main > .filters { margin-bottom: 1rem; }
.bar .badge { align-self: center; }
form.inline { display: inline-flex; }
form.act, form.filters { display: flex; flex-wrap: wrap; gap: .625rem .75rem; align-items: end; }
.card form.act { margin-top: .75rem; }
main > form.act { margin-top: 1.25rem; }
label { display: inline-flex; flex-direction: column; gap: .1875rem; font-size: .8125rem; color: var(--soft); }
label.tick { flex-direction: row; align-items: center; gap: .5rem; min-height: 2.125rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: .75rem; width: 100%; }
.grid .whole { grid-column: 1 / -1; }
input, select, button { font: inherit; color: var(--ink); border-radius: .5rem; min-height: 2.125rem; max-width: 100%; }
input:not([type=checkbox]), select { padding: .25rem .625rem; border: 1px solid var(--field); background: var(--card); }
.grid input:not([type=checkbox]), .grid select { width: 100%; }
input::placeholder { color: var(--soft); opacity: 1; }
input[type=checkbox] { width: 1.0625rem; min-height: 0; height: 1.0625rem; margin: 0; accent-color: var(--accent); }
button { padding: .25rem .875rem; font-weight: 600; border: 1px solid var(--field); background: var(--card); cursor: pointer; white-space: nowrap; }
button:hover { background: var(--calm-wash); }
button.yes { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.yes:hover { filter: brightness(1.08); }
td button { min-height: 1.75rem; padding: .0625rem .625rem; font-size: .8125rem; }
td .row { margin: 0; flex-wrap: nowrap; }

.scroll { position: relative; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .5rem .875rem; text-align: left; vertical-align: top; }
thead th { font-size: .8125rem; font-weight: 600; color: var(--soft); white-space: nowrap; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 500; min-width: 7rem; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody tr:hover > * { background: color-mix(in srgb, var(--wash) 45%, transparent); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td, tbody th { max-width: 26rem; }
td bdi, tbody th bdi, td code, tbody th code { overflow-wrap: break-word; }
.day { color: inherit; }
meter { width: 4.5rem; height: .75rem; vertical-align: -.0625rem; }
.count { font-size: .875rem; }
.pager { display: flex; gap: 1rem; margin-top: .75rem; font-size: .875rem; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: .375rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.badge.good { background: var(--good-wash); color: var(--good); }
.badge.wait { background: var(--wait-wash); color: var(--wait); }
.badge.bad { background: var(--bad-wash); color: var(--bad); }
.badge.calm { background: var(--calm-wash); color: var(--calm); }
pre { margin: 0; padding: .875rem 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.facts { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.facts div { display: grid; grid-template-columns: minmax(7rem, 14rem) 1fr; gap: 1rem; padding: .4375rem 1rem; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--soft); overflow-wrap: anywhere; }
.facts dd { margin: 0; min-width: 0; }
.change { display: block; }
.change + .change { margin-top: .125rem; }
del { color: var(--bad); text-decoration-thickness: 1px; }
ins { color: var(--good); text-decoration: none; }

@media (max-width: 80rem) { .drop3 { display: none; } }
@media (max-width: 62rem) {
  .drop2, .ribbon { display: none; }
  .livebox { margin-left: auto; }
  .room { grid-template-columns: minmax(0, 1fr); }
  .ways { display: flex; min-height: 0; padding: .5rem .75rem; border: 0; border-bottom: 1px solid var(--line); overflow-x: auto; }
  .ways h2 { display: none; }
  .ways ul { display: flex; }
  .ways a { white-space: nowrap; gap: .375rem; }
  main { padding: 1.25rem 1.25rem 3rem; }
}
@media (max-width: 40rem) {
  .drop1 { display: none; }
  .top { padding: .625rem 1rem; }
  main { padding: 1rem 1rem 3rem; }
  th, td { padding: .5rem .625rem; }
  .when .day { display: none; }
  td code, tbody th code { overflow-wrap: anywhere; }
  tbody th { min-width: 0; }
  td, tbody th { max-width: 10rem; }
  .facts div { grid-template-columns: 1fr; gap: 0; }
  .tiles { grid-template-columns: 1fr; }
  .tiles a { display: flex; gap: .75rem; align-items: baseline; }
}
@media (prefers-reduced-motion: no-preference) { button, .ways a, .tiles a { transition: background-color .12s, box-shadow .12s; } }
`;
