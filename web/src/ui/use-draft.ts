// The only way to write a form: @mantine/form holds its values and errors, `useChange` sends it, and the
// server's errors about a field are shown next to that field. Render it with `DraftForm`.
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { readFieldErrors } from './field-errors.ts'
import { dropPart, findMissing, findOwnField } from './find-field.ts'
import { focusFirst } from './focus-field.ts'
import { useChange } from './use-change.ts'

interface DraftOptions<Values, Output> {
  initial: Values
  /** The required fields. */
  required?: readonly (keyof Values & string)[]
  /** Further checks without the server, by field. */
  validate?: (values: Values) => FormErrors
  send: (values: Values) => Promise<Output>
  /** The form field for a path in the request, if it has another name there. */
  findField?: (path: string, values: Values) => string | undefined
  notice?: string | ((output: Output, values: Values) => string)
  /** The values of the form after saving. If omitted, it keeps them. */
  next?: (values: Values) => Values
  onDone?: (output: Output, values: Values) => unknown
}

export interface Draft<Values, Output = unknown> {
  form: UseFormReturnType<Values>
  submit: (event?: FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** The server's errors that belong to no field. */
  error: Error | null
  /** All of the server's errors. */
  failure: Error | null
  /** The server's response. */
  answer: Output | undefined
  /** The values that were sent last. */
  sent: Values | undefined
  isUnsaved: () => boolean
}

/** The properties that our own fields take from `form.getInputProps`. */
export interface FieldProps<Value> {
  value?: Value
  error?: ReactNode
  onChange: (value: Value) => void
  onFocus?: () => void
  onBlur?: () => void
  /** Lets the form find the field to focus. */
  'data-path'?: string
}

export function useDraft<Values extends object, Output>(
  options: DraftOptions<Values, Output>,
): Draft<Values, Output> {
  const { initial, required = [], validate, send, findField, notice, next, onDone } = options
  const form = useForm<Values>({
    // Another form on the page may have fields with the same names. Mantine allows letters and digits.
    name: useId().replace(/[^a-z\d]/gi, ''),
    initialValues: initial,
    validate: values => ({ ...findMissing(values, required), ...validate?.(values) }),
  })
  const [hasPlace, setHasPlace] = useState(false)
  const change = useChange(send, {
    ...(notice !== undefined && { notice }),
    onDone: (output, values) => {
      if (next) form.setValues(next(values))
      form.resetDirty(next ? next(values) : values)
      return onDone?.(output, values)
    },
  })
  const onError = (error: Error) => {
    const { errors, isComplete } = placeErrors(error, form, findField)
    setHasPlace(isComplete)
    form.setErrors(errors)
    focusErrors(form, errors)
  }
  return {
    form,
    submit: form.onSubmit(
      values => change.mutate(values, { onError }),
      errors => focusErrors(form, errors),
    ),
    isPending: change.isPending,
    error: hasPlace ? null : change.error,
    failure: change.error,
    answer: change.data,
    sent: change.variables,
    // Field by field, because Mantine does not count a changed list as a change of the form.
    isUnsaved: () => Object.keys(form.getValues()).some(field => form.isDirty(field)),
  }
}

function focusErrors<Values>(form: UseFormReturnType<Values>, errors: FormErrors): void {
  focusFirst(Object.keys(errors).map(field => form.getInputNode(field)))
}

function placeErrors<Values extends object>(
  error: Error,
  form: UseFormReturnType<Values>,
  findField: ((path: string, values: Values) => string | undefined) | undefined,
): { errors: FormErrors; isComplete: boolean } {
  const found = Object.entries(readFieldErrors(error)).map(([path, sentence]) => {
    const own = dropPart(path)
    const values = form.getValues()
    return { field: findField?.(own, values) ?? findOwnField(values, own), sentence }
  })
  const placed = found.flatMap(({ field, sentence }) =>
    field === undefined ? [] : [[field, sentence] as const],
  )
  return {
    // The first message for a field counts.
    errors: Object.fromEntries(placed.toReversed()),
    // Nobody would see an error about a field that is not on the page.
    isComplete:
      placed.length > 0 &&
      placed.length === found.length &&
      placed.every(([field]) => form.getInputNode(field) !== null),
  }
}
