// A dialog that is taken away instead of closed, so that nothing of it is left, gives the focus back all the same.
import { useEffect, useState } from 'react'

export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}
