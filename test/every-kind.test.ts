// For every text field of every route that has a kind: equal spellings have one form, different values have different
// ones. A field whose name says a kind declares it.
import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { ToolName, toolInput, toolSpecs } from '../rules/agents/tools.ts'
import { failureFor, inboundOf } from '../rules/inbox/inbound.ts'
import { emailForm, recipientForm } from '../rules/input/email-addresses.ts'
import { type Kind, kinds } from '../rules/input/kinds.ts'
import { localeForm } from '../rules/input/locale-tags.ts'
import { phoneForm } from '../rules/input/phone-numbers.ts'
import { postalCodeForm } from '../rules/input/postal-codes.ts'
import { textForm } from '../rules/input/texts.ts'
import { searchQuery } from '../rules/search/search.ts'
import { type TextField, textFields } from './kit/kinds.ts'

const fields = textFields()
const nameOf = ({ route, place, path }: TextField): string => `${route.spec} ${place} /${path.join('/')}`

/** Spellings of values: those of one line are equal, those of different lines are different. */
const spellings: Readonly<Record<Kind, readonly (readonly string[])[]>> = {
  email: [
    ['anna@example.com', 'Anna@Example.COM', ' anna@example.com ', 'ANNA@EXAMPLE.COM'],
    ['info@xn--e1afmkfd.xn--p1ai', 'info@пример.рф', 'INFO@ПРИМЕР.РФ', 'info@XN--E1AFMKFD.xn--p1ai'],
    [
      'anna@xn--caf-dma.example',
      'anna@café.example',
      'anna@cafe\u0301.example',
      'anna@CAFÉ.example',
      'anna@ｃａｆé.example',
    ],
    ['a&b@example.com'],
    ['ab@example.com'],
    ['a.b@example.com'],
    ['a+b@example.com'],
    ['sales/eu@example.com'],
    ['anna@example.org'],
    ['root@localhost'],
  ],
  phone: [
    [
      '+49 209 22334455',
      '+49 (0) 209 22334455',
      '0049 209 22334455',
      '0209 22334455',
      '0209/2233-4455',
      'tel:+49-209-22334455',
      '＋４９ ２０９ ２２３３４４５５',
    ],
    ['+49 209 22334456'],
    ['+49 30 901820', '030 901820', '(030) 90 18 20', '+4930901820'],
    ['+39 06 698 12345', '0039 06 69812345'],
    ['+44 20 7946 0958', '+44 (0)20 7946 0958', '0044 20 79460958'],
    ['+1 503 555 0100', '001 (503) 555-0100', '+1-503-555-0100'],
    ['+20 2 25742424', '+٢٠ ٢ ٢٥٧٤٢٤٢٤'],
    ['+7 495 123-45-67'],
  ],
  postal_code: [
    ['SE-111 22', 'se11122', 'SE 111\u00a022', 'ＳＥ－１１１２２', '  SE–11122 '],
    ['D04 X285', 'd04x285', 'D04-X285'],
    ['D04 X286'],
    ['11122'],
    ['1112'],
    ['01112'],
    ['1001-001', '1001001', '１００１００１', '۱۰۰۱۰۰۱'],
  ],
  locale: [
    ['pt-BR', 'pt-br', 'PT_br', 'pt_BR'],
    ['zh-Hant-TW', 'ZH-hant-tw', 'zh_Hant_TW'],
    ['he', 'iw', 'HE'],
    ['pt'],
    ['pt-PT'],
    ['zh-TW'],
    ['de-AT'],
  ],
  key: [
    ['tea'],
    ['café', 'cafe\u0301'],
    ['Café', 'Cafe\u0301'],
    ['cafe'],
    ['Å', 'A\u030a', '\u212b'],
    ['각', '\u1100\u1161\u11a8'],
    ['ﬁne'],
    ['fine'],
  ],
  slug: [['naïve', 'nai\u0308ve'], ['naive'], ['ñ', 'n\u0303'], ['n']],
  text: [['größe', 'gro\u0308ße'], ['grösse'], ['ệ', 'e\u0323\u0302', 'e\u0302\u0323', 'ẹ\u0302'], ['e']],
  search: [['crème', 'cre\u0300me', 'ｃｒè\u00adme'], ['creme'], ['緑茶'], ['紅茶'], ['コーヒー', 'ｺｰﾋｰ']],
}

/** The form by which values of the kind are compared. */
const forms: Readonly<Record<Kind, (value: string) => string>> = {
  email: emailForm,
  phone: (number) => String(phoneForm(number, 'DE')),
  postal_code: (code) => postalCodeForm(code, null),
  locale: localeForm,
  key: textForm,
  slug: textForm,
  text: textForm,
  search: searchQuery,
}

/**
 * Kinds whose shapes keep what was written. Postal codes and words are normalized where they are compared, telephone
 * numbers by the country of the store. Texts of other kinds are normalized by the shapes of their fields.
 */
const writtenKinds: readonly Kind[] = ['phone', 'postal_code', 'search']

/** Fields of other kinds that are only compared, by the form, and rows of imports, whose faults are counted. */
const writtenFields =
  /^(POST \S+\/members\/import body \/rows\/\[\]\/email|POST \S+\/enrollments\/import body \/emails\/\[\](\/email)?|PUT \/v1\/accounts body \/email)$/

/** Keys that are compared byte by byte: the installation's key-value data, whose prefixes are ranges of bytes. */
const byteKeys = /^(GET|POST|DELETE) \/v1\/platform\/data /

/** Names of fields that say a kind. */
const names: readonly [RegExp, Kind][] = [
  [/^(e_?mails?|.+_email|reply_to|billing|support)$/, 'email'],
  [/^((tele)?phone(_numbers?)?|tel|mobile|fax|.+_phone)$/, 'phone'],
  [/^(postal_codes?|zip(_codes?)?|postcode)$/, 'postal_code'],
  [/^(locales?|languages?|lang)$/, 'locale'],
  [/^slugs?$/, 'slug'],
  [/^(key|market|market_key|payment_method_key)$/, 'key'],
  [/^(sku|promo_code)$/, 'text'],
  [/^(query|search|q)$/, 'search'],
]
/** The name of a field: of the items of a list, that of the list. */
const ownName = ({ path }: TextField): string => path.filter((part) => !/^(\[\]|\{\}|\{key\})$/.test(part)).at(-1) ?? ''

test('A text field whose name says a kind declares it', () => {
  const missing = fields.filter(
    (field) => field.kind === undefined && names.some(([pattern]) => pattern.test(ownName(field))),
  )
  expect(missing.map(nameOf).filter((name) => !byteKeys.test(name))).toEqual([])
})

test('No amount is a text', () => {
  const amounts =
    /^(amount|price|total|subtotal|quantity|count|stock|available|bps|percentage|.+_(amount|total|count|ms|seconds|minutes))$/
  expect(fields.filter((field) => amounts.test(ownName(field)) && field.kind === undefined).map(nameOf)).toEqual([])
})

describe.each(kinds.map((kind): [Kind, TextField[]] => [kind, fields.filter((field) => field.kind === kind)]))(
  'Fields of kind %s',
  (kind, own) => {
    const shapes = new Map(own.map((field) => [field.shape as z.ZodType, nameOf(field)]))

    test('Spellings have one form, values have different ones', () => {
      expect(own.length).toBeGreaterThan(0)
      const found = spellings[kind].map((line) => [...new Set(line.map(forms[kind]))])
      expect(found.filter((line) => line.length > 1)).toEqual([])
      expect(new Set(found.flat()).size).toBe(spellings[kind].length)
    })

    test.each([...shapes].map(([shape, name]) => [name, shape] as const))(
      '%s: spellings of a value are equal, values are not',
      (name, shape) => {
        const isWritten = writtenKinds.includes(kind) || writtenFields.test(name)
        const read = (spelling: string): string | null => {
          const { success, data } = shape.safeParse(spelling)
          // A key of a few characters of ASCII refuses all spellings of a value alike.
          return success ? (isWritten ? forms[kind](data as string) : (data as string)) : null
        }
        const found = spellings[kind].map((line) => [...new Set(line.map(read))])
        expect(found.filter((line) => line.length > 1)).toEqual([])
        const values = found.flat().filter((value) => value !== null)
        expect(values.length).toBeGreaterThan(0)
        expect(new Set(values).size).toBe(values.length)
      },
    )
  },
)

/** Texts of the tools of agents whose names say a kind. */
const toolTexts = toolSpecs(ToolName.options).flatMap(({ name, parameters }) =>
  Object.keys(Object(parameters).properties).flatMap((field) => {
    const kind = names.find(([pattern]) => pattern.test(field))?.[1]
    return kind ? [[name, field, kind] as const] : []
  }),
)

test.each(toolTexts)('The tool %s takes all spellings of its %s as one value', (tool, field, kind) => {
  const name = ToolName.parse(tool)
  const read = (spelling: string): string => {
    const input = toolInput({ id: 'a', name, arguments: JSON.stringify({ [field]: spelling }) }, [name])
    return 'refused' in input ? input.refused : forms[kind](String(Object(input.input)[field]))
  }
  const found = spellings[kind].map((line) => [...new Set(line.map(read))])
  expect(found.filter((line) => line.length > 1)).toEqual([])
  expect(new Set(found.flat()).size).toBe(spellings[kind].length)
})

test('The recipient of a node keeps the case before the @, and has one domain in all spellings', () => {
  const domainOf = (address: string) => address.slice(address.lastIndexOf('@'))
  for (const line of spellings.email) {
    const recipients = line.map(recipientForm)
    expect([new Set(recipients.map(emailForm)).size, new Set(recipients.map(domainOf)).size]).toEqual([1, 1])
  }
  expect(recipientForm(' Anna@CAFÉ.example ')).toBe('Anna@xn--caf-dma.example')
})

test('A report names a recipient in every spelling, and no other recipient', () => {
  const failuresOf = (recipient: string, field: string) => {
    const delivery_status = `Reporting-MTA: dns; mx.example\n\n${field}: ${recipient}\nAction: failed\nStatus: 5.1.1\n`
    const mail = { headers: [], from: null, subject: '', text: '', html: null, attachments: [], feedback_report: null }
    const found = inboundOf({ ...mail, delivery_status, returned: 'Message-ID: <a@example.com>\n' }, [])
    return found?.kind === 'bounce' ? found.failures : []
  }
  for (const line of spellings.email)
    for (const spelling of line)
      for (const [field, prefix] of [
        ['Final-Recipient', 'rfc822; '],
        ['Final-Recipient', 'utf-8; '],
        ['Original-Recipient', 'rfc822;'],
      ] as const) {
        const failures = failuresOf(`${prefix}${spelling}`, field)
        const matched = spellings.email.filter(([address]) => failureFor(failures, emailForm(address as string)))
        expect([spelling, field, matched]).toEqual([spelling, field, [line]])
      }
})
