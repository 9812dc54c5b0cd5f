// Moves the focus to the first invalid field in reading order.

const CAN_HAVE_FOCUS = 'input:not([type=hidden]), textarea, select, button, [contenteditable=true]'

export function focusFirst(fields: readonly (HTMLElement | null)[]): void {
  const [first] = fields.filter(field => field !== null).toSorted(comparePosition)
  if (!first) return
  first.closest('details')?.setAttribute('open', '')
  // A group of checkboxes is invalid as a whole.
  const target = first.matches(CAN_HAVE_FOCUS) ? first : first.querySelector<HTMLElement>(CAN_HAVE_FOCUS)
  target?.focus()
}

const comparePosition = (a: Node, b: Node) =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1
