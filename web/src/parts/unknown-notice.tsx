// Says why it is not known whether an environment is compliant, with the link that helps. Silence and partial views have
// notices of their own.
import { Text } from '@mantine/core'
import { PageLink } from '../ui/page-link.tsx'
import type { Schemas } from './schemas.ts'
import { partsTexts as texts } from './texts.ts'
import { useRole } from './use-role.ts'

type Environment = Pick<Schemas['Environment'], 'org' | 'name' | 'archived' | 'unknown_because'>

/** Where what is missing can be supplied. */
const HELP = { 'no-policies': 'policies', 'no-members': 'settings' } as const

export function UnknownNotice({ environment }: { environment: Environment }) {
  const { org, name, archived, unknown_because: because } = environment
  const { isMember } = useRole(org)
  if (because === null || because === 'stale' || because === 'partial') return null
  const canHelp = isMember && !archived && (because === 'no-policies' || because === 'no-members')
  return (
    <Text size="sm">
      {texts.unknown.because[because]}
      {canHelp && (
        <>
          {' '}
          <PageLink
            to="/$org/environments/$environment"
            params={{ org, environment: name }}
            search={{ tab: HELP[because] }}
          >
            {texts.unknown.help[because]}
          </PageLink>
        </>
      )}
    </Text>
  )
}
