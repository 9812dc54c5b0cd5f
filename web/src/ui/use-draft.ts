// The one way to write a form: its values and their errors are in @mantine/form, sending goes through `useChange`, and what
// the server says about a field is shown next to that field. Render it with `DraftForm`.
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { readFieldErrors } from './field-errors.ts'
import { dropPart, findMissing, findOwnField } from './find-field.ts'
import { focusFirst } from './focus-field.ts'
import { useChange } from './use-change.ts'

interface DraftOptions<Values, Output> {
  initial: Values
  /** The fields that must not be empty. */
  required?: readonly (keyof Values & string)[]
  /** What else can be said without the server, by field. */
  validate?: (values: Values) => FormErrors
  send: (values: Values) => Promise<Output>
  /** The field of the form that a path in the request belongs to, if it has another name there. */
  findField?: (path: string, values: Values) => string | undefined
  notice?: string | ((output: Output, values: Values) => string)
  /** What the form shows once the values are saved. Without it, it keeps them. */
  next?: (values: Values) => Values
  onDone?: (output: Output, values: Values) => unknown
}

export interface Draft<Values, Output = unknown> {
  form: UseFormReturnType<Values>
  submit: (event?: FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** What the server said that belongs to no field. */
  error: Error | null
  /** All that it said. */
  failure: Error | null
  /** What the server answered. */
  answer: Output | undefined
  /** The values that were sent last. */
  sent: Values | undefined
  isUnsaved: () => boolean
}

/** What a field of our own takes from `form.getInputProps`. */
export interface FieldProps<Value> {
  value?: Value
  error?: ReactNode
  onChange: (value: Value) => void
  onFocus?: () => void
  onBlur?: () => void
  /** By it, the form finds the field that gets the focus. */
  'data-path'?: string
}

export function useDraft<Values extends object, Output>(
  options: DraftOptions<Values, Output>,
): Draft<Values, Output> {
  const { initial, required = [], validate, send, findField, notice, next, onDone } = options
  const form = useForm<Values>({
    // Another form of the page may have fields of the same names. Mantine allows letters and digits.
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
    // The first sentence of a field counts.
    errors: Object.fromEntries(placed.toReversed()),
    // An error of a field that is not on the page would not be seen.
    isComplete:
      placed.length > 0 &&
      placed.length === found.length &&
      placed.every(([field]) => form.getInputNode(field) !== null),
  }
}
