// Tries a custom attestation type on a pasted example: the server evaluates it, and nothing is stored.
import { Alert, Button, Code, Fieldset, Group, List, Stack, Text, Textarea } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { toState } from '../../parts/state-badge.tsx'
import { Facts } from '../../ui/facts.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import text_styles from '../../ui/text.module.css'
import { findField, parseJson, type TypeDraft, validate } from './draft.ts'
import { tryType } from './queries.ts'
import { typeTexts as texts } from './texts.ts'

const INITIAL_EXAMPLE = '{ "percent": 91 }'

interface TryTypeProps {
  org: string
  values: TypeDraft
  /** The server's errors about the type itself. */
  onErrors: (errors: FormErrors) => void
}

export function TryType({ org, values, onErrors }: TryTypeProps) {
  const [example, setExample] = useState(INITIAL_EXAMPLE)
  const isJson = parseJson(example) !== undefined
  const attempt = useMutation({
    mutationFn: (data: unknown) => tryType(org, values, data),
    onError: error =>
      onErrors(
        Object.fromEntries(
          Object.entries(readFieldErrors(error)).map(([path, sentence]) => {
            const own = path.replace(/^data_json\./, '')
            return [findField(own) ?? own, sentence]
          }),
        ),
      ),
  })
  const start = () => {
    const { name: _, ...errors } = validate(values)
    onErrors(errors)
    if (isJson && Object.keys(errors).length === 0) attempt.mutate(parseJson(example))
  }
  return (
    <Fieldset legend={texts.tryOut.title}>
      <Stack gap="sm">
        <Textarea
          label={texts.tryOut.example}
          description={texts.tryOut.hint}
          autosize
          minRows={3}
          maxRows={20}
          spellCheck={false}
          classNames={{ input: 'fingerprint' }}
          value={example}
          error={isJson ? undefined : texts.tryOut.notJson}
          onChange={({ currentTarget }) => setExample(currentTarget.value)}
        />
        <Group>
          <Button variant="default" loading={attempt.isPending} disabled={!isJson} onClick={start}>
            {texts.tryOut.submit}
          </Button>
        </Group>
        <div aria-live="polite">
          {attempt.error && <ErrorAlert error={attempt.error} />}
          {attempt.data && <Tried tried={attempt.data} />}
        </div>
      </Stack>
    </Fieldset>
  )
}

function Tried({ tried }: { tried: Schemas['CustomAttestationTypeTried'] }) {
  if (!tried.matches_schema)
    return (
      <Alert color="red" title={texts.tryOut.refused} classNames={{ title: text_styles.plain ?? '' }}>
        <List size="sm">
          {Object.entries(tried.schema_errors).map(([path, sentence]) => (
            <List.Item key={path}>{path === '' ? sentence : `${path}: ${sentence}`}</List.Item>
          ))}
        </List>
      </Alert>
    )
  return (
    <Alert
      color={tried.is_compliant ? 'green' : 'red'}
      title={texts.tryOut.verdict(toState(tried.is_compliant))}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Stack gap="xs">
        {tried.rules.length === 0 ? (
          <Text size="sm">{tried.found}</Text>
        ) : (
          <List size="sm">
            {tried.rules.map(({ rule, satisfied, reason }) => (
              <List.Item key={rule} className="long-name">
                <Code>{rule}</Code> {satisfied ? texts.tryOut.satisfied : texts.tryOut.failed(reason ?? '')}
              </List.Item>
            ))}
          </List>
        )}
        {tried.summary.map(group => (
          <Facts
            key={JSON.stringify(group)}
            rows={group.map(({ name, values, problem }) => [name, problem ?? formatValues(values)] as const)}
          />
        ))}
      </Stack>
    </Alert>
  )
}

const formatValues = (values: unknown[]) => values.map(value => JSON.stringify(value)).join(', ')
