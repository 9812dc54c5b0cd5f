// One way to change something: ask the server, say that it is done, and ask again for whatever is on the page.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { showNotice } from './notice.tsx'

interface After<Input, Output> {
  /** A short sentence for everybody, such as `Saved`. None where the page itself says what became of it. */
  notice?: string | ((output: Output, input: Input) => string)
  /** Before anything is asked again: going to another page, closing a form. */
  onDone?: (output: Output, input: Input) => unknown
}

export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  { notice, onDone }: After<Input, Output> = {},
) {
  const client = useQueryClient()
  // The second click of a double click comes before the button knows that it waits.
  const isUnderWay = useRef(false)
  const mutation = useMutation({
    mutationFn: change,
    // What was sent or answered may have a secret: it goes with the form.
    gcTime: 0,
    onSuccess: async (output, input) => {
      await onDone?.(output, input)
      if (notice !== undefined) showNotice(typeof notice === 'string' ? notice : notice(output, input))
      // Everything, because one change shows in many places. Only what is on the page is asked for at once.
      await client.invalidateQueries()
    },
    onSettled: () => {
      isUnderWay.current = false
    },
  })
  const { mutate } = mutation
  const once = useCallback<typeof mutate>(
    (...asked) => {
      if (isUnderWay.current) return
      isUnderWay.current = true
      mutate(...asked)
    },
    [mutate],
  )
  return { ...mutation, mutate: once }
}

/** As much of a change as a button needs to know. */
export interface Change<Input> {
  mutate: (input: Input, options: { onSuccess: () => void }) => void
  isPending: boolean
  error: Error | null
  reset: () => void
}
