// Links to files with everything that matches the filters of a log.
import { Anchor, Group, Text } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'
import { peopleTexts as texts } from './texts.ts'

interface Props {
  /** Each format with the parts of its path and its own parameters. */
  files: readonly { label: string; path: readonly string[]; query?: Record<string, string> }[]
  filters: object
}

export function ExportLinks({ files, filters }: Props) {
  return (
    <Group justify="end" gap="md">
      <Text size="sm">{texts.filters.everything}</Text>
      {files.map(({ label, path, query = {} }) => (
        <Anchor
          key={label}
          href={`${buildApiPath(...path)}?${buildQuery({ ...filters, ...query })}`}
          download
        >
          {label}
        </Anchor>
      ))}
    </Group>
  )
}

function buildQuery(values: object): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const each of [value].flat()) query.append(name, String(each))
  return query
}
