// What a timeline can be about: a record, or one effect by itself.
import { z } from 'zod'
import { type EffectName, effectNames } from '../effects.ts'
import { Id } from '../shapes.ts'

/**
 * Records with events, effects or changes of their own. An execution, a contact, a chat and a webhook may have any
 * number.
 */
export const recordTypes = [
  'order',
  'member',
  'subscription',
  'execution',
  'publication',
  'campaign',
  'enrollment',
  'contact',
  'chat',
  'research_run',
  'audience',
  'payment_provider',
  'integration',
  'social_connection',
  'webhook',
  'product',
  'collection',
  'entry',
  'form_submission',
] as const
export type RecordType = (typeof recordTypes)[number]
export type SubjectType = RecordType | EffectName
export type Subject<T extends SubjectType = SubjectType> = { type: T; id: string }

export const subjectTypes: readonly SubjectType[] = [...recordTypes, ...effectNames]
const isType = (text: string): text is SubjectType => (subjectTypes as readonly string[]).includes(text)

/** `order:0199…`: a type and an id. */
export const SubjectText = z
  .string()
  .max(100)
  .transform((text, { issues }): Subject => {
    const [type = '', ...id] = text.split(':')
    const read = Id.safeParse(id.join(':'))
    if (isType(type) && read.success) return { type, id: read.data }
    issues.push({
      code: 'custom',
      input: text,
      params: { code: 'invalid_format' },
      message: isType(type)
        ? `Expected \`${type}:\` and a UUID.`
        : `Expected one of these types, a colon and a UUID: ${subjectTypes.join(', ')}.`,
    })
    return z.NEVER
  })
