// An environment as it is now: the latest snapshot.
import { useParams } from '@tanstack/react-router'
import { SnapshotView } from './snapshot.tsx'

const LATEST = '-1'

export function EnvironmentPage() {
  const { org, environment } = useParams({ from: '/$org/environments/$environment' })
  return <SnapshotView org={org} environment={environment} expression={LATEST} />
}
