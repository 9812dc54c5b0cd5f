// Which forms of the page contain unsaved text. Kept only in the page's memory.

export interface Unsaved {
  /** Returns a function that removes the form again. */
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
