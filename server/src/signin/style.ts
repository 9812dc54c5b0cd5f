// The style of the sign-in pages: like the web app, in light and dark, from phone width up. The colors are those of
// its theme; every text has a contrast of at least 4.5, every field border at least 3.

export const STYLE = `:root {
  color-scheme: light dark;
  --paper: #f1f3f5; --card: #fff; --edge: #dee2e6; --ink: #1a1b1e; --dimmed: #5c636a; --field-edge: #7d858c;
  --action: #1971c2; --action-hover: #1864ab; --on-action: #fff; --link: #1864ab; --ring: #1971c2;
  --notice: #e7f5ff; --notice-edge: #1971c2; --problem: #c92a2a
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1a1a1a; --card: #242424; --edge: #3b3b3b; --ink: #e0e0e0; --dimmed: #a6a6a6; --field-edge: #828282;
    --action: #1971c2; --action-hover: #1864ab; --on-action: #fff; --link: #74c0fc; --ring: #74c0fc;
    --notice: #16293a; --notice-edge: #4dabf7; --problem: #ff8787
  }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; align-content: center; justify-items: center;
  padding: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere }
main { width: 100%; max-width: 26rem; padding: 1.5rem 1.25rem; background: var(--card); border: 1px solid var(--edge);
  border-radius: .5rem; box-shadow: 0 1px 3px rgb(0 0 0 / 8%), 0 8px 24px rgb(0 0 0 / 6%) }
@media (min-width: 30rem) { main { padding: 2rem } }
header { padding-bottom: 1.25rem; margin-bottom: 1.25rem; border-bottom: 1px solid var(--edge) }
.name { display: flex; align-items: center; gap: .625rem; margin: 0; font-size: 1.25rem; font-weight: 700 }
.name svg { width: 2rem; height: 2rem; flex: none }
.what { margin: .5rem 0 0 }
.what, .hint, .or, .region { color: var(--dimmed); font-size: .875rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25 }
p, ul, form { margin: 0 0 1rem }
main > :last-child, form > :last-child { margin-bottom: 0 }
ul { padding-left: 1.25rem }
label { display: block; font-weight: 600 }
.hint { margin: 0 0 .375rem }
input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; margin: 0 0 .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--field-edge); border-radius: .5rem }
input[aria-invalid] { border-color: var(--problem); margin-bottom: .25rem }
.problem { color: var(--problem); margin: 0 0 .75rem; font-size: .875rem; font-weight: 600 }
.action { display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; margin: 0 0 .75rem; font: inherit;
  font-weight: 600; text-align: center; text-decoration: none; color: var(--on-action); background: var(--action);
  border: 1px solid var(--action); border-radius: .5rem; cursor: pointer }
.action:hover { background: var(--action-hover) }
.big { min-height: 3.5rem; padding: .8125rem .75rem; font-size: 1.125rem }
.quiet { color: var(--ink); background: transparent; border-color: var(--field-edge) }
.quiet:hover { background: var(--paper) }
.or { display: flex; align-items: center; gap: .75rem; margin: 1rem 0 }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--edge) }
.notice { padding: .75rem 1rem; background: var(--notice); border-left: 4px solid var(--notice-edge); border-radius: .5rem }
.region { margin: 1rem 0 0 }
code { font: .9375em ui-monospace, monospace }
a { color: var(--link) }
a.action { color: var(--on-action) }
a.quiet { color: var(--ink) }
:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px }
`
