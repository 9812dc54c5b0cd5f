// The downloads of an attestation: its attachment, with the fingerprint, and its audit package.
import { Button, Group, Stack, Title } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { Copy } from '../../ui/command.tsx'
import { Facts } from '../../ui/facts.tsx'
import { trailTexts as texts } from './texts-trail.ts'

interface DownloadsProps {
  org: string
  attestation: Schemas['Attestation']
}

export function AttestationDownloads({ org, attestation }: DownloadsProps) {
  const { attestation_id: id, flow_name, trail_name, evidence_archive_path } = attestation
  return (
    <Stack gap="xs">
      <Attachment attestation={attestation} />
      <Group>
        {evidence_archive_path !== null && (
          <Button
            component="a"
            download
            href={`${buildApiPath('attestations', org, flow_name, 'trail', trail_name, 'attestation', id, 'evidence')}?archived=true`}
          >
            {texts.downloads.downloadAttachment}
          </Button>
        )}
        {attestation.has_audit_package && (
          <Button
            component="a"
            variant="default"
            download
            href={buildApiPath('attestations', org, 'attestation', id, 'audit_package')}
          >
            {texts.downloads.downloadPackage}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Attachment({ attestation }: { attestation: Schemas['Attestation'] }) {
  const { evidence_archive_path, evidence_archive_fingerprint: fingerprint } = attestation
  if (evidence_archive_path === null || fingerprint === null) return null
  return (
    <>
      <Title order={3} size="h5">
        {texts.downloads.attachment}
      </Title>
      <Facts
        rows={[
          [texts.downloads.file, evidence_archive_path.split('/').at(-1)],
          [
            texts.downloads.sha256,
            <Group key="sha256" gap="xs">
              <span className="fingerprint">{fingerprint}</span>
              <Copy value={fingerprint} what={texts.downloads.copySha256} />
            </Group>,
          ],
        ]}
      />
    </>
  )
}
