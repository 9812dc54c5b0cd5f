// The pages of the navigation bar that the user's role can open, for the search and for the shortcuts to
// them.
import { useRole } from '../parts/use-role.ts'
import { DAILY, getMinRole, type NavigationLink, ORGANIZATION } from './navigation-links.ts'

export function useOpenPages(org: string): readonly NavigationLink[] {
  const { canSee } = useRole(org)
  return [...DAILY, ...ORGANIZATION].filter(link => canSee(getMinRole(link)))
}
