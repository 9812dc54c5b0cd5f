// Updates the address of an open page when its resource is renamed: changes carry the new name, so a page
// with the old one would no longer follow them.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'

/** `kind` is the parameter in the address, and `name` the server's current name. */
export function useCurrentName(kind: 'environment' | 'flow', name: string): void {
  const navigate = useNavigate()
  const given = useParams({ strict: false })[kind]
  useEffect(() => {
    if (given === undefined || given === name) return
    void navigate({ to: '.', params: { [kind]: name }, search: true, replace: true, resetScroll: false })
  }, [kind, name, given, navigate])
}
