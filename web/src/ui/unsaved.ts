// Which forms of the page hold text that is not saved. It exists only in the memory of the page.

export interface Unsaved {
  /** Returns what removes the form again. */
  add(isUnsaved: () => boolean): () => void
  /** Whether anything would be lost with the page. */
  isAny(): boolean
}

function makeUnsaved(): Unsaved {
  const forms = new Set<() => boolean>()
  return {
    add: isUnsaved => {
      forms.add(isUnsaved)
      return () => void forms.delete(isUnsaved)
    },
    isAny: () => [...forms].some(isUnsaved => isUnsaved()),
  }
}

export const unsaved = makeUnsaved()
