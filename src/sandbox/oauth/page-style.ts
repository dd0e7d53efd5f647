/** The look of the pages, light and dark: one style sheet, no outside assets. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f1ec; --card: #fffefb; --line: #dfdad0; --field: #8d8778;
  --ink: #1d2329; --soft: #5b6169; --accent: #0b6b62; --on-accent: #ffffff;
  --wash: #e6f1ee; --warn: #8a4b08; --warn-wash: #fbefdc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101418; --card: #181e24; --line: #2c353e; --field: #75818c;
    --ink: #e8eaec; --soft: #a3adb6; --accent: #63cfc0; --on-accent: #06201d;
    --wash: #17302f; --warn: #f0b562; --warn-wash: #33270f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 2.5rem 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  display: flex; flex-direction: column; align-items: center; justify-content: center;
}
main {
  width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem; overflow: hidden; box-shadow: 0 1px 2px #0000000d, 0 12px 32px -16px #00000033;
}
.ribbon {
  margin: 0; padding: .55rem 1.75rem; background: var(--warn-wash); color: var(--warn); font-size: .8125rem;
}
.inside { padding: 1.5rem 1.75rem 1.75rem; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2, legend { margin: 0 0 .625rem; padding: 0; font-size: .8125rem; font-weight: 600; color: var(--soft); }
p { margin: .5rem 0 0; }
.soft { color: var(--soft); }
bdi, code, .name, dd { overflow-wrap: anywhere; }
code { font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
section, fieldset { margin: 1.5rem 0 0; padding: 0; border: 0; min-width: 0; }
.scopes { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
.scopes li { display: grid; grid-template-columns: 1.25rem 1fr; gap: .75rem; align-items: start; }
.scopes svg { width: 1.25rem; height: 1.25rem; margin-top: .125rem; color: var(--accent); }
.scopes b, .person b { font-weight: 600; }
.scopes span span, .person small { display: block; font-size: .875rem; line-height: 1.4; color: var(--soft); }
.people { border: 1px solid var(--line); border-radius: .75rem; max-height: 23.75rem; overflow: auto; }
.person {
  display: grid; grid-template-columns: auto 2.25rem 1fr; gap: .75rem; align-items: center;
  padding: .7rem .9rem; cursor: pointer;
}
.person + .person { border-top: 1px solid var(--line); }
.person:hover { background: color-mix(in srgb, var(--wash) 55%, transparent); }
.person:has(:checked) { background: var(--wash); }
.person input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.face {
  width: 2.25rem; height: 2.25rem; border-radius: 50%; display: grid; place-items: center;
  background: var(--ground); border: 1px solid var(--line); color: var(--soft); font-size: .8125rem; font-weight: 600;
}
.person:has(:checked) .face { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.choice { display: flex; gap: .75rem; margin-top: 1.5rem; }
button {
  flex: 1; font: inherit; font-weight: 600; padding: .7rem 1rem; border-radius: .625rem; cursor: pointer;
  border: 1px solid var(--field); background: transparent; color: var(--ink);
}
button:hover { background: var(--ground); }
button.yes { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.yes:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 55%, transparent); outline-offset: 2px; }
.person:has(:focus-visible) { outline: 3px solid color-mix(in srgb, var(--accent) 55%, transparent); outline-offset: -3px; }
.person input:focus-visible { outline: none; }
.back { margin-top: 1rem; font-size: .8125rem; color: var(--soft); text-align: center; }
dl { margin: 1.25rem 0; padding: .9rem 1rem; background: var(--ground); border-radius: .75rem; }
dt { font-size: .8125rem; font-weight: 600; color: var(--soft); }
dt + dd, dd { margin: 0 0 .75rem; }
dd:last-child { margin-bottom: 0; }
@media (max-width: 30rem) {
  body { padding: 0; justify-content: flex-start; }
  main { border: 0; border-radius: 0; box-shadow: none; min-height: 100vh; }
  .inside, .ribbon { padding-left: 1.25rem; padding-right: 1.25rem; }
}
`;
