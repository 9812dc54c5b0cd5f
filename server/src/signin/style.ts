// The style of the sign-in pages: like the web app, in light and dark, from phone width up. The colors match its
// theme; every text has a contrast of at least 4.5, every field border at least 3.

export const STYLE = `:root {
  color-scheme: light dark;
  --paper: #eef0f4; --card: #fff; --edge: #d5d9e1; --ink: #1a1d24; --dimmed: #565f70; --field-edge: #7a8394;
  --action: #3449b6; --action-hover: #283ba1; --on-action: #fff; --link: #3449b6; --ring: #3c53cb;
  --notice: #e6eafc; --notice-edge: #3449b6; --problem: #b3202a
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171d; --card: #1a1d24; --edge: #373d4a; --ink: #d3d7e0; --dimmed: #a3abba; --field-edge: #7a8394;
    --action: #3c53cb; --action-hover: #3449b6; --on-action: #fff; --link: #a9b8ff; --ring: #a9b8ff;
    --notice: #222b52; --notice-edge: #8499f0; --problem: #ff9a9a
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
