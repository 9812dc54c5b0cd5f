// The menu for exporting controls and decisions.
import { Button, Menu } from '@mantine/core'
import { buildApiPath } from '../../parts/curl.ts'
import { controlTexts as texts } from './texts.ts'

const FORMATS = [
  { label: texts.export.yaml, format: 'yaml', name: 'controls.yaml' },
  { label: texts.export.csv, format: 'csv', name: 'controls.csv' },
  { label: texts.export.oscal, format: 'oscal', name: 'controls.oscal.json' },
]

export function ExportLinks({ org }: { org: string }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default">{texts.export.export}</Button>
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
          {texts.export.decisions}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
