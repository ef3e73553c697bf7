// Text: one line, or several where the schema or the name hints at it.
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'

const inputTypes: Record<string, string> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
  password: 'password',
  color: 'color',
}
const placeholders: Record<string, string> = {
  'date-time': '2026-05-31T14:30:00Z',
  time: '14:30:00Z',
  uri: 'https://',
  uuid: '00000000-0000-0000-0000-000000000000',
}
const longNames =
  /(^|_)(content|contents|body|text|code|source|script|prompt|message|markdown|html|sql|patch)$/i

export function TextField(props: FieldProps) {
  const { schema, value, isRequired } = props
  const text = typeof value === 'string' ? value : ''
  const format = String(schema['format'] ?? '')
  const onInput = (event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    const given = event.currentTarget.value
    props.onChange(given === '' && (!isRequired || format !== '') ? undefined : given)
  }
  const shared = {
    ...controlProps(props),
    value: text,
    onInput,
    placeholder: placeholders[format] ?? exampleOf(schema['examples']),
    spellcheck: false,
  }
  return (
    <FieldFrame field={props}>
      {isLong(props, text) ? (
        <textarea {...shared} class="input code" rows={4} />
      ) : (
        <input {...shared} class="input" type={(inputTypes[format] ?? 'text') as 'text'} autocomplete="off" />
      )}
    </FieldFrame>
  )
}

function isLong({ schema, pointer }: FieldProps, text: string): boolean {
  if (schema['format'] === 'textarea' || 'contentMediaType' in schema || text.includes('\n')) return true
  if (schema['format'] !== undefined || (schema['maxLength'] as number) <= 200) return false
  return longNames.test(pointer.split('/').at(-1) ?? '')
}

function exampleOf(examples: unknown): string {
  const first = Array.isArray(examples) ? examples[0] : undefined
  return typeof first === 'string' || typeof first === 'number' ? String(first) : ''
}
