// The contact form, drawn from the fields that the store gave it.
import { useState } from 'react'
import type { FormSchema } from 'tillwright-client'
import { call, hasVisitor } from '../api.ts'
import { Field, Form, Loaded, type Option, Title, textIn, useLoad } from '../kit.tsx'
import { words } from '../records.ts'

const types: Record<string, string> = { email: 'email', phone: 'tel', number: 'number', date: 'date' }
const filledBy: Record<string, string> = { name: 'name', email: 'email', phone: 'tel' }

function Input({ of: { key, type, required, ...more } }: { of: FormSchema }) {
  const common = { label: words(key), name: key, required, autoComplete: filledBy[key] ?? 'off' }
  const yesNo = [['true', 'Yes'] as const, ['false', 'No'] as const]
  const options = 'options' in more ? more.options.map((one): Option => [one, words(one)]) : yesNo
  if (type === 'boolean' || type === 'select') return <Field {...common} options={[['', ''], ...options]} />
  return <Field {...common} area={key === 'message'} type={types[key] ?? types[type] ?? 'text'} />
}

const typed = (type: FormSchema['type'], text: string) =>
  type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text

export function Contact() {
  const [sent, setSent] = useState(false)
  const found = useLoad(() => call('GET /v1/storefront/forms/{key}', { path: { key: 'contact' } }), 'contact')
  async function submit(formId: string, schema: FormSchema[], form: FormData): Promise<void> {
    const filled = schema.filter(({ key }) => textIn(form, key) !== '')
    const fields = filled.map(({ key, type }) => ({ key, type, value: typed(type, textIn(form, key)) }))
    // A submission belongs to a visitor.
    if (!hasVisitor()) await call('POST /v1/storefront/account/identify', { body: {} })
    await call('POST /v1/storefront/forms/{formId}/submissions', { path: { formId }, body: { fields } })
    setSent(true)
  }
  return (
    <>
      <Title>Write to us</Title>
      {sent && <p role="status">Thank you. We answer within two days.</p>}
      {!sent && (
        <Loaded from={found}>
          {({ id, schema }) => (
            <Form label="Send" className="panel" submit={(form) => submit(id, schema, form)}>
              {schema.map((field) => (
                <Input key={field.key} of={field} />
              ))}
            </Form>
          )}
        </Loaded>
      )}
    </>
  )
}
