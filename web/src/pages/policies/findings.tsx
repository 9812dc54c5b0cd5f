// What the server says about a text while it is written: what is wrong, and what is probably not meant.
import { Alert, List, Text } from '@mantine/core'
import text_styles from '../../ui/text.module.css'

/** A problem has a line; a warning has the field it is in. */
interface Found {
  line?: number
  field?: string
  column: number
  message: string
}

export function Findings({ problems, warnings }: { problems: Found[]; warnings: Found[] }) {
  if (problems.length + warnings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The text is valid.
      </Text>
    )
  const title = problems.length > 0 ? 'The text is not valid yet' : 'Probably not what was meant'
  return (
    <Alert
      color={problems.length > 0 ? 'red' : 'yellow'}
      title={title}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <List size="sm">
        {[...problems, ...warnings].map(found => (
          <List.Item key={`${found.line ?? found.field} ${found.column} ${found.message}`}>
            {found.line === undefined ? found.field : `Line ${found.line}, column ${found.column}`}:{' '}
            {found.message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
