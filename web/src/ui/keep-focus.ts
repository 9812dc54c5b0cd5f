// Keeps the keyboard focus on the page. When the focused element is removed or disabled, as by a deleted row,
// a closed dialog or another page, browsers move the focus to the body, and people start again from the top.

const DIALOGS = '[role="dialog"], [role="alertdialog"]'
const PAGE = '#content'
/** A closing dialog returns the focus by itself, after 10 ms. */
const DIALOG_RETURNS_MS = 60

/** Starts watching, once for the whole app. */
export function keepFocus(): void {
  let last: Element | undefined
  let wasDisabled = false
  const remember = (element: Element | undefined) => {
    last = element
    wasDisabled = false
  }
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) remember(target)
  })
  // A click on an empty place is intentional. The focus moves after the event.
  document.addEventListener('mousedown', () => {
    window.setTimeout(() => isLost() && remember(undefined))
  })
  const restore = () => {
    if (last === undefined || !isLost()) return
    if (!last.isConnected) focus(findNearest())
    else if (wasDisabled && isUsable(last)) focus(last)
  }
  let timer: number | undefined
  const notice = () => {
    wasDisabled ||= last?.matches(':disabled') ?? false
    window.clearTimeout(timer)
    if (isLost()) timer = window.setTimeout(restore, DIALOG_RETURNS_MS)
  }
  new MutationObserver(notice).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  })
}

const isLost = () => document.activeElement === document.body

const isUsable = (element: Element) => element.isConnected && !element.matches(':disabled')

/** The open dialog, or the page. */
const findNearest = () =>
  [...document.querySelectorAll(DIALOGS)].findLast(isUsable) ?? document.querySelector(PAGE)

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}
