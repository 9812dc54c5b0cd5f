// One way to change something: ask the server, say that it is done, and ask again for whatever is on the page.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tell } from './notice.tsx'

interface After<Input, Output> {
  /** A short sentence for everybody, such as `Saved`. None where the page itself says what became of it. */
  said?: string | ((output: Output, input: Input) => string)
  /** Before anything is asked again: going to another page, closing a form. */
  done?: (output: Output, input: Input) => unknown
}

export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  { said, done }: After<Input, Output> = {},
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    // What was sent or answered may have a secret: it goes with the form.
    gcTime: 0,
    onSuccess: async (output, input) => {
      await done?.(output, input)
      if (said !== undefined) tell(typeof said === 'string' ? said : said(output, input))
      // Everything, because one change shows in many places. Only what is on the page is asked for at once.
      await client.invalidateQueries()
    },
  })
}

/** As much of a change as a button needs to know. */
export interface Change<Input> {
  mutate: (input: Input, options: { onSuccess: () => void }) => void
  isPending: boolean
  error: Error | null
  reset: () => void
}
