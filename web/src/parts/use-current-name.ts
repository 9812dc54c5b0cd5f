// Keeps the address of an open page true when what it shows is renamed: changes name it by its new name, so a page with the
// old one would follow no more.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'

/** `kind` is the parameter of the address, and `name` what the server calls it now. */
export function useCurrentName(kind: 'environment' | 'flow', name: string): void {
  const navigate = useNavigate()
  const given = useParams({ strict: false })[kind]
  useEffect(() => {
    if (given === undefined || given === name) return
    void navigate({ to: '.', params: { [kind]: name }, search: true, replace: true, resetScroll: false })
  }, [kind, name, given, navigate])
}
