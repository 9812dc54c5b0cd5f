// The controls as a file, and what was decided on them.
import { Button, Menu } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'

const FORMATS = [
  { label: 'Catalogue, YAML', format: 'yaml', name: 'controls.yaml' },
  { label: 'Catalogue, CSV', format: 'csv', name: 'controls.csv' },
  { label: 'Catalogue, OSCAL', format: 'oscal', name: 'controls.oscal.json' },
]

export function ExportLinks({ org }: { org: string }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ label, format, name }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`${buildApiPath('control-catalogue', org)}?format=${format}`}
            download={name}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          component="a"
          href={buildApiPath('control-assessment-results', org)}
          download="assessment-results.oscal.json"
        >
          Decisions of 30 days, OSCAL
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
