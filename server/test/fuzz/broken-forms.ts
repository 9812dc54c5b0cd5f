// Ways to break a multipart body: unexpected, repeated and missing parts, and truncated forms.
import fc from 'fast-check'
import type { Break, Broken } from './break.ts'
import { encodeForm, type FormPart } from './requests.ts'

const makeTextPart = (name: string, content: string): FormPart => ({ name, content: Buffer.from(content) })
const NAMELESS: FormPart = { ...makeTextPart('', 'x'), header: 'Content-Disposition: form-data' }
const makeRawForm = (
  bytes: Buffer,
  content_type = 'multipart/form-data; boundary=waybill-fuzz-boundary',
) => ({
  raw: { content_type, bytes },
  is_certain: true,
})

export const FORM_BREAKS: readonly Break[] = [
  {
    how: 'a form with odd parts',
    weight: 6,
    applies: ({ operation, json }) => operation.form !== undefined && json !== undefined,
    of: ({ json = Buffer.of(), parts, operation }) => {
      const name = operation.form?.json_part ?? ''
      const whole = [{ name, content: json }, ...(parts ?? [])]
      const bytes = encodeForm(whole)
      const many = Array.from({ length: 30 }, (_, i) => makeTextPart(`part-${i}`, 'x'))
      return fc.constantFrom<Broken>(
        makeRawForm(encodeForm([...whole, makeTextPart('no_such_part', 'x')])),
        makeRawForm(encodeForm([...whole, makeTextPart(name, '{}')])),
        makeRawForm(encodeForm([...whole, ...many])),
        { ...makeRawForm(encodeForm(parts ?? [])), is_certain: operation.form?.is_json_required === true },
        makeRawForm(encodeForm([makeTextPart(name, '')])),
        makeRawForm(encodeForm([makeTextPart(name, '{"a":')])),
        makeRawForm(encodeForm([makeTextPart(name, 'null')])),
        makeRawForm(encodeForm([...whole, makeTextPart('n'.repeat(300), 'x')])),
        makeRawForm(encodeForm([...whole, makeTextPart('__proto__', 'x')])),
        // The form parser ignores a part without a name.
        { ...makeRawForm(encodeForm([...whole, NAMELESS])), is_certain: false },
        {
          ...makeRawForm(encodeForm([...whole, { ...NAMELESS, header: 'X-Nothing: at all' }])),
          is_certain: false,
        },
        makeRawForm(bytes.subarray(0, bytes.length - 12)),
        makeRawForm(bytes.subarray(0, Math.floor(bytes.length / 2))),
        makeRawForm(Buffer.of()),
        makeRawForm(Buffer.from('no boundary at all')),
        makeRawForm(bytes, 'multipart/form-data'),
        makeRawForm(bytes, 'multipart/form-data; boundary='),
        makeRawForm(bytes, 'multipart/form-data; boundary=another'),
        makeRawForm(bytes, 'multipart/mixed; boundary=waybill-fuzz-boundary'),
      )
    },
  },
  {
    how: 'a file with an odd name',
    weight: 4,
    applies: ({ operation, json }) => (operation.form?.file_parts.length ?? 0) > 0 && json !== undefined,
    of: ({ operation }) =>
      fc
        .tuple(
          fc.constantFrom(...(operation.form?.file_parts ?? [])),
          fc.constantFrom(
            '',
            '../../etc/passwd',
            'a\0b',
            'ü'.repeat(400),
            '\u202egpj.exe',
            '"; x="',
            '.',
            'C:\\a',
          ),
        )
        .map(([name, filename]) => ({
          parts: [{ name, filename, content: Buffer.from('content') }],
          is_certain: false,
        })),
  },
  {
    how: 'a form where none is accepted',
    weight: 1,
    applies: ({ operation }) => operation.form === undefined && operation.method !== 'GET',
    of: ({ json = Buffer.from('{}') }) =>
      fc.constant(makeRawForm(encodeForm([{ name: 'data_json', content: json }]))),
  },
]
