// The ways of breaking a multipart body: parts that nobody asked for, that come twice or not at all, and forms that end
// before they should.
import fc from 'fast-check'
import type { Break, Broken } from './breaks.ts'
import { type FormPart, formBytes } from './requests.ts'

const text = (name: string, content: string): FormPart => ({ name, content: Buffer.from(content) })
const NAMELESS: FormPart = { ...text('', 'x'), header: 'Content-Disposition: form-data' }
const mangled = (bytes: Buffer, content_type = 'multipart/form-data; boundary=waybill-fuzz-boundary') => ({
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
      const bytes = formBytes(whole)
      const many = Array.from({ length: 30 }, (_, i) => text(`part-${i}`, 'x'))
      return fc.constantFrom<Broken>(
        mangled(formBytes([...whole, text('no_such_part', 'x')])),
        mangled(formBytes([...whole, text(name, '{}')])),
        mangled(formBytes([...whole, ...many])),
        { ...mangled(formBytes(parts ?? [])), is_certain: operation.form?.is_json_required === true },
        mangled(formBytes([text(name, '')])),
        mangled(formBytes([text(name, '{"a":')])),
        mangled(formBytes([text(name, 'null')])),
        mangled(formBytes([...whole, text('n'.repeat(300), 'x')])),
        mangled(formBytes([...whole, text('__proto__', 'x')])),
        // The form parser passes over a part without a name.
        { ...mangled(formBytes([...whole, NAMELESS])), is_certain: false },
        {
          ...mangled(formBytes([...whole, { ...NAMELESS, header: 'X-Nothing: at all' }])),
          is_certain: false,
        },
        mangled(bytes.subarray(0, bytes.length - 12)),
        mangled(bytes.subarray(0, Math.floor(bytes.length / 2))),
        mangled(Buffer.of()),
        mangled(Buffer.from('no boundary at all')),
        mangled(bytes, 'multipart/form-data'),
        mangled(bytes, 'multipart/form-data; boundary='),
        mangled(bytes, 'multipart/form-data; boundary=another'),
        mangled(bytes, 'multipart/mixed; boundary=waybill-fuzz-boundary'),
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
    how: 'a form where none is taken',
    weight: 1,
    applies: ({ operation }) => operation.form === undefined && operation.method !== 'GET',
    of: ({ json = Buffer.from('{}') }) =>
      fc.constant(mangled(formBytes([{ name: 'data_json', content: json }]))),
  },
]
