// The page about the log of an organization: what it proves, its state, its witnesses, its keys and its downloads.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { KeysCard } from './keys-card.tsx'
import { LogCard } from './log-card.tsx'
import { LogDownloads } from './log-downloads.tsx'
import { ProblemAlert } from './problem-alert.tsx'
import { logStatusQuery } from './queries.ts'
import { proofTexts as texts } from './texts.ts'
import { WitnessesCard } from './witnesses-card.tsx'

export function ProofPage() {
  const { org } = useParams({ from: '/$org/proof' })
  const status = useQuery(logStatusQuery(org))
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      <Stack gap="xs" maw={720}>
        <Text>{texts.purpose}</Text>
        <Text>{texts.proves}</Text>
        <Text c="dimmed">{texts.limits}</Text>
      </Stack>
      {status.isPending ? (
        <Loading />
      ) : status.error ? (
        <ErrorAlert error={status.error} />
      ) : status.data.state === 'empty' ? (
        <Empty title={texts.empty.title}>{texts.empty.help}</Empty>
      ) : (
        <>
          <ProblemAlert org={org} status={status.data} />
          <LogCard org={org} status={status.data} />
          <WitnessesCard witnesses={status.data.witnesses} />
          <KeysCard keys={status.data.keys} />
          <LogDownloads org={org} status={status.data} />
        </>
      )}
    </Stack>
  )
}
