// The downloads of an attestation: its files, each with its size and hash, and its audit package.
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { formatBytes } from '../../ui/bytes.ts'
import { Copy } from '../../ui/command.tsx'
import { trailTexts as texts } from './texts-trail.ts'

type Attestation = Schemas['Attestation']

interface DownloadsProps {
  org: string
  attestation: Attestation
}

export function AttestationDownloads({ org, attestation }: DownloadsProps) {
  const { attestation_id: id } = attestation
  return (
    <Stack gap="xs">
      <Files org={org} attestation={attestation} />
      {attestation.has_audit_package && (
        <Group>
          <Button
            component="a"
            variant="default"
            download
            href={buildApiPath('attestations', org, 'attestation', id, 'audit_package')}
          >
            {texts.downloads.downloadPackage}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Files({ org, attestation }: DownloadsProps) {
  const { evidence_files: files } = attestation
  if (files.length === 0) return null
  return (
    <section aria-label={texts.downloads.files}>
      <Title order={3} size="h5">
        {texts.downloads.files}
      </Title>
      <Stack component="ul" gap="xs" p={0} my="xs">
        {numberFiles(files).map(({ number, file }) => (
          <File key={number} org={org} attestation={attestation} file={file} number={number} />
        ))}
      </Stack>
    </section>
  )
}

/** Two files may have the same name, and even the same content: only the number distinguishes them. */
const numberFiles = (files: Attestation['evidence_files']) =>
  files.map((file, i) => ({ number: i + 1, file }))

interface FileProps extends DownloadsProps {
  file: Attestation['evidence_files'][number]
  /** Counts from 1. */
  number: number
}

function File({ org, attestation, file, number }: FileProps) {
  const { attestation_id: id, flow_name, trail_name } = attestation
  const { name, bytes, sha256, content_encoding, stored_bytes } = file
  const size = formatBytes(bytes)
  return (
    <Stack component="li" gap={2} display="flex">
      <Group gap="xs">
        <Anchor
          href={`${buildApiPath('attestations', org, flow_name, 'trail', trail_name, 'attestation', id, 'evidence')}?archived=true&file=${number}`}
          download
          className="long-name"
          aria-label={`${texts.downloads.download} ${name}`}
        >
          {name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {content_encoding === null
            ? size
            : texts.downloads.compressed(size, formatBytes(stored_bytes), content_encoding)}
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap" align="start">
        <Text size="sm" className="fingerprint">
          {sha256}
        </Text>
        <Copy value={sha256} what={`${texts.downloads.sha256Of} ${name}`} />
      </Group>
    </Stack>
  )
}
