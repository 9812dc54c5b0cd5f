// The server's errors and warnings about a policy while it is being written.
import { Alert, List, Text } from '@mantine/core'
import text_styles from '../../ui/text.module.css'
import { policiesTexts as texts } from './texts.ts'

/** A problem has a line, a warning has a field. */
interface Finding {
  line?: number
  field?: string
  column: number
  message: string
}

export function Findings({ problems, warnings }: { problems: Finding[]; warnings: Finding[] }) {
  if (problems.length + warnings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.findings.valid}
      </Text>
    )
  const title = problems.length > 0 ? texts.findings.invalid : texts.findings.warnings
  return (
    <Alert
      color={problems.length > 0 ? 'red' : 'yellow'}
      title={title}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <List size="sm">
        {[...problems, ...warnings].map(found => (
          <List.Item key={`${found.line ?? found.field} ${found.column} ${found.message}`}>
            {found.line === undefined ? found.field : texts.findings.position(found.line, found.column)}:{' '}
            {found.message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
