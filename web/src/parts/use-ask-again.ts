// For pages outside of any organization, which have no stream of changes: polls at the same intervals as
// pages without a stream.
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
