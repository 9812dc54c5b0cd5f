// Why a form was not taken: by its fields where they are marked, else in the words of the server.
import { Alert } from '@mantine/core'
import { ApiProblem } from '../../api.ts'
import { Failed } from '../../ui/states.tsx'

export function FormFailed({ error }: { error: Error }) {
  if (!(error instanceof ApiProblem) || Object.keys(error.errors).length === 0)
    return <Failed error={error} />
  return (
    <Alert color="red" title="It was not saved" role="alert">
      {error.message}: correct the fields that are marked.
    </Alert>
  )
}
