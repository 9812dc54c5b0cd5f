// Restores focus after a dialog that is unmounted instead of closed.
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
