// The link that downloads an audit package with proofs, for a subject or a period.
import { Anchor } from '@mantine/core'
import { buildApiPath } from './curl.ts'
import { partsTexts as texts } from './texts.ts'

interface Props {
  /** The path segments below the API. */
  of: readonly string[]
  /** In seconds since 1970. */
  from?: number | undefined
  to?: number | undefined
}

export function AuditPackageLink({ of, from, to }: Props) {
  const query = new URLSearchParams()
  if (from !== undefined) query.set('from_timestamp', String(from))
  if (to !== undefined) query.set('to_timestamp', String(to))
  return (
    <Anchor href={`${buildApiPath(...of, 'audit_package')}?${query}`} download>
      {texts.auditPackage}
    </Anchor>
  )
}
