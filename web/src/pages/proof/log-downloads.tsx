// The files of the log for auditors, and its address for programs.
import { Button, Card, Group, Text, Title } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { Copy } from '../../ui/command.tsx'
import { proofTexts as texts } from './texts.ts'

/** The most that the API returns at once. */
const MAX_LEAVES = 1_000

interface DownloadsProps {
  org: string
  status: Schemas['LogStatus']
}

export function LogDownloads({ org, status: { state, size, epoch } }: DownloadsProps) {
  return (
    <Card withBorder component="section" aria-label={texts.downloads.title}>
      <Title order={2} size="h4" mb="xs">
        {texts.downloads.title}
      </Title>
      {state === 'ok' ? <Files org={org} size={size} /> : <Text size="sm">{texts.downloads.unsigned}</Text>}
      {epoch !== null && <Tiles address={buildApiPath('log', org, 'tiles', String(epoch))} />}
    </Card>
  )
}

function Files({ org, size }: { org: string; size: number }) {
  const start = Math.max(0, size - MAX_LEAVES)
  const leaves = MAX_LEAVES.toLocaleString()
  return (
    <Group>
      <File org={org} file="checkpoint" name={`${org}.checkpoint`}>
        {texts.downloads.checkpoint}
      </File>
      <File org={org} file="keys" name={`${org}-log-keys.json`}>
        {texts.downloads.keys}
      </File>
      <File org={org} file="leaves" query={`?start=${start}`} name={`${org}-log-leaves.json`}>
        {start === 0 ? texts.downloads.leaves : texts.downloads.newestLeaves(leaves)}
      </File>
    </Group>
  )
}

interface FileProps {
  org: string
  file: string
  query?: string
  /** The name of the downloaded file. */
  name: string
  children: string
}

function File({ org, file, query = '', name, children }: FileProps) {
  return (
    <Button
      component="a"
      variant="default"
      href={`${buildApiPath('log', org, file)}${query}`}
      download={name}
    >
      {children}
    </Button>
  )
}

function Tiles({ address }: { address: string }) {
  const url = window.location.origin + address
  return (
    <>
      <Text size="sm" mt="sm">
        {texts.downloads.tiles}
      </Text>
      <Group gap="xs">
        <Text size="sm" className="fingerprint">
          {url}
        </Text>
        <Copy value={url} what={texts.downloads.copyTiles} />
      </Group>
    </>
  )
}
