// The only way to change data: send the request, show a notice, and refetch the affected data.
import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { refetchChanged } from '../live/start.ts'
import { showNotice } from './notice.tsx'

interface After<Input, Output> {
  /** A short sentence such as `Saved`. Omit it when the page itself shows the result. */
  notice?: string | ((output: Output, input: Input) => string)
  /** Runs before the refetch: navigates to another page, closes a form. */
  onDone?: (output: Output, input: Input) => unknown
}

export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  { notice, onDone }: After<Input, Output> = {},
) {
  // The second click of a double click arrives before the button is disabled.
  const isRunning = useRef(false)
  const mutation = useMutation({
    mutationFn: change,
    // The request or the response may contain a secret, so neither outlives the form.
    gcTime: 0,
    onSuccess: async (output, input) => {
      await onDone?.(output, input)
      if (notice !== undefined) showNotice(typeof notice === 'string' ? notice : notice(output, input))
      // One change shows in many places: the recorded events determine where.
      await refetchChanged()
    },
    onSettled: () => {
      isRunning.current = false
    },
  })
  const { mutate } = mutation
  const once = useCallback<typeof mutate>(
    (...call) => {
      if (isRunning.current) return
      isRunning.current = true
      mutate(...call)
    },
    [mutate],
  )
  return { ...mutation, mutate: once }
}

/** The part of a change that a button needs. */
export interface Change<Input> {
  mutate: (input: Input, options: { onSuccess: () => void }) => void
  isPending: boolean
  error: Error | null
  reset: () => void
}
