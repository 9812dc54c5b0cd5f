// Importing a catalogue of controls: the server first tells what would change, and changes it when told again.
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
import { WithControls } from './with-controls.tsx'

export function ImportControlsPage() {
  const { org } = useParams({ from: '/$org/import-controls' })
  return (
    <Stack>
      <Crumbs here="Import">
        <PageLink to="/$org/controls" params={{ org }}>
          Controls
        </PageLink>
      </Crumbs>
      <Title order={1}>Import controls</Title>
      <Text>
        A catalogue in YAML, CSV or OSCAL (JSON), such as the export gives. You see what would change before
        anything does.
      </Text>
      <ForRole org={org} minRole="admin" what="controls">
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
  const rehearsal = useMutation({
    mutationFn: async (chosen: File) => {
      const catalogue = await chosen.text()
      return { catalogue, changes: await importCatalogue(org, { catalogue, archive_missing, dry_run: true }) }
    },
  })
  const importing = useChange((catalogue: string) =>
    importCatalogue(org, { catalogue, archive_missing, dry_run: false }),
  )
  /** What was rehearsed is what is imported: another file or choice is rehearsed anew. */
  const startAgain = () => {
    rehearsal.reset()
    importing.reset()
  }
  return (
    <Stack maw={720}>
      <FileInput
        label="Catalogue"
        placeholder="Choose a file"
        accept=".yaml,.yml,.csv,.json"
        clearable
        clearButtonProps={{ 'aria-label': 'Take the file away' }}
        // What stands in a real field is text to be read here.
        styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
        value={file}
        onChange={chosen => {
          setFile(chosen)
          startAgain()
        }}
      />
      <Checkbox
        label="Archive the controls that the catalogue does not have"
        checked={archive_missing}
        onChange={({ currentTarget }) => {
          setArchiveMissing(currentTarget.checked)
          startAgain()
        }}
      />
      <Group>
        <Button
          disabled={file === null}
          loading={rehearsal.isPending}
          variant={rehearsal.data ? 'default' : 'filled'}
          onClick={() => file && rehearsal.mutate(file)}
        >
          Show what would change
        </Button>
      </Group>
      <div aria-live="polite">
        {rehearsal.error && <ErrorAlert error={rehearsal.error} />}
        {rehearsal.data && !importing.data && (
          <ImportChanges
            org={org}
            imported={rehearsal.data.changes}
            isImporting={importing.isPending}
            onImport={() => importing.mutate(rehearsal.data.catalogue)}
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
    <Alert color="green" title="The catalogue is imported">
      {created} created, {updated} updated, {archived} archived, {unarchived} unarchived.{' '}
      <PageLink to="/$org/controls" params={{ org }}>
        See the controls
      </PageLink>
    </Alert>
  )
}
