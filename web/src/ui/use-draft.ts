// The one way to write a form: its values and their errors are in @mantine/form, sending goes through `useChange`, and what
// the server says about a field is shown next to that field. Render a `LeaveGuard` with `isUnsaved` inside the form.
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { type FormEvent, useRef, useState } from 'react'
import { readFieldErrors } from './field-errors.ts'
import { useChange } from './use-change.ts'

interface DraftOptions<Values, Output> {
  initial: Values
  /** What can be said without the server, by field. */
  validate?: (values: Values) => FormErrors
  send: (values: Values) => Promise<Output>
  /** The field of the form that a path in the request belongs to, if it has another name there. */
  findField?: (path: string) => string | undefined
  notice?: string | ((output: Output, values: Values) => string)
  onDone?: (output: Output, values: Values) => unknown
}

export interface Draft<Values> {
  form: UseFormReturnType<Values>
  submit: (event?: FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** What the server said that belongs to no field. */
  error: Error | null
  /** All that it said. */
  failure: Error | null
  isUnsaved: () => boolean
}

export function useDraft<Values extends object, Output>(
  options: DraftOptions<Values, Output>,
): Draft<Values> {
  const { initial, validate, send, findField, notice, onDone } = options
  const form = useForm<Values>({ initialValues: initial, ...(validate && { validate }) })
  const isSaved = useRef(false)
  const [hasPlace, setHasPlace] = useState(false)
  const change = useChange(send, {
    ...(notice !== undefined && { notice }),
    onDone: (output, values) => {
      isSaved.current = true
      return onDone?.(output, values)
    },
  })
  const onError = (error: Error) => {
    const found = placeErrors(error, form.getValues(), findField)
    setHasPlace(found.isComplete)
    form.setErrors(found.errors)
    focusField(form, Object.keys(found.errors)[0])
  }
  return {
    form,
    submit: form.onSubmit(
      values => change.mutate(values, { onError }),
      errors => focusField(form, Object.keys(errors)[0]),
    ),
    isPending: change.isPending,
    error: hasPlace ? null : change.error,
    failure: change.error,
    isUnsaved: () => !isSaved.current && form.isDirty(),
  }
}

function focusField<Values>(form: UseFormReturnType<Values>, field: string | undefined): void {
  if (field !== undefined) form.getInputNode(field)?.focus()
}

/** The server names a field by its path in the request; in a form with files, all values are in one part. */
function placeErrors(
  error: Error,
  values: object,
  findField: ((path: string) => string | undefined) | undefined,
): { errors: FormErrors; isComplete: boolean } {
  const found = Object.entries(readFieldErrors(error)).map(([path, sentence]) => {
    const own = path.replace(/^data_json\.?/, '')
    const first = own.split(/[.[]/)[0] ?? ''
    const field = findField?.(own) ?? (first in values ? first : undefined)
    return { field, sentence }
  })
  const placed = found.flatMap(({ field, sentence }) =>
    field === undefined ? [] : [[field, sentence] as const],
  )
  // The first sentence of a field counts.
  return {
    errors: Object.fromEntries(placed.toReversed()),
    isComplete: found.length > 0 && placed.length === found.length,
  }
}
