// Shapes that all domains share. A shape that one domain owns is beside its rules.
import { z } from 'zod'
import { effectStatuses } from './effects.ts'
import { answersMore } from './open-answers.ts'
import { isCurrency } from './payments/currencies.ts'

/**
 * Accepts a value of the enum in any case and returns it as the enum writes it. Its JSON schema is that of the enum,
 * also for input.
 */
export const anyCase = <T extends Record<string, string>>(values: z.ZodEnum<T>) =>
  z.preprocess((value: T[keyof T]) => {
    if (typeof value !== 'string') return value
    const lower = value.toLowerCase()
    return values.options.find((one) => one.toLowerCase() === lower) ?? value
  }, values)

/** The id of a record: any UUID, in lower case as PostgreSQL returns it. */
export const Id = z.guid().toLowerCase()

export const CreatedAt = z.int().describe('Time of creation, in Unix seconds. Set by the server.')
export const UpdatedAt = z.int().describe('Time of the latest change, in Unix seconds. Set by the server.')

/** Why an effect did not succeed. May have further members, such as the provider's code. */
export const EffectError = answersMore(
  z.looseObject({
    code: z.string().describe('Stable code of what went wrong.'),
    message: z.string().describe('What went wrong, for people.'),
    provider_code: z.string().optional().describe("The provider's code of it, if it sent one."),
    provider_status: z.int().optional().describe('HTTP or SMTP status of its answer, if there was one.'),
  }),
)

/** Minor units of the market's currency, never negative. */
export const Amount = z
  .int({
    error: ({ code }) => (code === 'invalid_type' ? 'Expected an integer, in minor units of the currency.' : undefined),
  })
  .min(0)

/** ISO 4217, accepted in any case. */
export const Currency = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{3}$/, 'Expected the three letters of a currency (ISO 4217).')
    .refine(isCurrency, 'Expected a currency of ISO 4217.'),
)

const secondsMax = 253_402_300_799
const expectedSeconds = `Expected Unix seconds, an integer from 0 to ${secondsMax} (the end of the year 9999).`
const tooLarge = ({ input }: { input: unknown }) =>
  Number(input) >= 1e12 && Number(input) < 1e15
    ? 'Expected Unix seconds; this looks like milliseconds.'
    : expectedSeconds

/** Unix seconds up to the end of the year 9999: a number in milliseconds is larger, and the refusal says so. */
export const UnixSeconds = z.int(expectedSeconds).min(0, expectedSeconds).max(secondsMax, { error: tooLarge })

export const SortDirection = z.enum(['asc', 'desc'])
export type SortDirection = z.infer<typeof SortDirection>

/** The status of records that are drafted, published and archived. */
export const RecordStatus = z.enum(['active', 'draft', 'archived'])
export type RecordStatus = z.infer<typeof RecordStatus>

/** The status of records that are never drafts. */
export const ArchivableStatus = RecordStatus.exclude(['draft'])
export type ArchivableStatus = z.infer<typeof ArchivableStatus>

/** Status of refunds and all other effects. */
export const EffectStatus = z.enum(effectStatuses)
export type EffectStatus = z.infer<typeof EffectStatus>
