// Imports a catalogue of controls: first a dry run that previews the changes, then the import.
import { Alert, Button, Checkbox, FileInput, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ForRole } from '../../parts/for-role.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ImportChanges } from './import-changes.tsx'
import { type Imported, importCatalogue } from './queries.ts'
import { catalogueTexts as texts } from './texts-catalogue.ts'
import { WithControls } from './with-controls.tsx'

export function ImportControlsPage() {
  const { org } = useParams({ from: '/$org/import-controls' })
  return (
    <Stack>
      <Crumbs here={texts.import.crumb}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.import.title}</Title>
      <Text>{texts.import.intro}</Text>
      <ForRole org={org} minRole="admin" what={texts.subject}>
        <WithControls org={org}>
          <ImportForm org={org} />
        </WithControls>
      </ForRole>
    </Stack>
  )
}

function ImportForm({ org }: { org: string }) {
  const [file, setFile] = useState<File | null>(null)
  const [archive_missing, setArchiveMissing] = useState(false)
  const preview = useMutation({
    mutationFn: async (chosen: File) => {
      const catalogue = await chosen.text()
      return { catalogue, changes: await importCatalogue(org, { catalogue, archive_missing, dry_run: true }) }
    },
  })
  const importing = useChange((catalogue: string) =>
    importCatalogue(org, { catalogue, archive_missing, dry_run: false }),
  )
  /** Only previewed changes are imported, so another file or option needs a new preview. */
  const reset = () => {
    preview.reset()
    importing.reset()
  }
  return (
    <Stack maw={720}>
      <FileInput
        label={texts.import.catalogue}
        placeholder={texts.import.chooseFile}
        accept=".yaml,.yml,.csv,.json"
        clearable
        clearButtonProps={{ 'aria-label': texts.import.removeFile }}
        // The placeholder is readable text here, so it needs contrast.
        styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
        value={file}
        onChange={chosen => {
          setFile(chosen)
          reset()
        }}
      />
      <Checkbox
        label={texts.import.archiveMissing}
        checked={archive_missing}
        onChange={({ currentTarget }) => {
          setArchiveMissing(currentTarget.checked)
          reset()
        }}
      />
      <Group>
        <Button
          disabled={file === null}
          loading={preview.isPending}
          variant={preview.data ? 'default' : 'filled'}
          onClick={() => file && preview.mutate(file)}
        >
          {texts.import.preview}
        </Button>
      </Group>
      <div aria-live="polite">
        {preview.error && <ErrorAlert error={preview.error} />}
        {preview.data && !importing.data && (
          <ImportChanges
            org={org}
            imported={preview.data.changes}
            isImporting={importing.isPending}
            onImport={() => importing.mutate(preview.data.catalogue)}
          />
        )}
        {importing.error && <ErrorAlert error={importing.error} />}
        {importing.data && <Done org={org} imported={importing.data} />}
      </div>
    </Stack>
  )
}

function Done({
  org,
  imported: { created, updated, archived, unarchived },
}: {
  org: string
  imported: Imported
}) {
  return (
    <Alert color="green" title={texts.import.imported}>
      {texts.import.counts(created, updated, archived, unarchived)}{' '}
      <PageLink to="/$org/controls" params={{ org }}>
        {texts.import.viewControls}
      </PageLink>
    </Alert>
  )
}
