// For pages outside any organization, which have no stream of changes: asks again at the intervals at which pages without a
// stream ask.
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { POLL_MS } from '../live/live.ts'
import { useClock } from './use-clock.ts'

export function useAskAgain(queryKey: QueryKey, isNeeded: boolean): void {
  const queries = useQueryClient()
  const turn = useClock(now_ms => Math.floor(now_ms / POLL_MS))
  const last = useRef(turn)
  useEffect(() => {
    if (turn === last.current) return
    last.current = turn
    if (isNeeded) void queries.invalidateQueries({ queryKey })
  })
}
