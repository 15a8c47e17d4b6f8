// One shape takes the addresses that browsers take, and one form makes equal ones equal.
import { expect, test } from '@jest/globals'
import { addressPrefix, EmailAddress, emailForm, recipientForm } from '../../../rules/input/email-addresses.ts'

test.each([
  ['ada@example.com', ['  ADA@Example.COM ', 'Ada@example.com\n', '\u00a0ada@EXAMPLE.com']],
  ['info@xn--e1afmkfd.xn--p1ai', ['info@пример.рф', 'INFO@ПРИМЕР.РФ', 'info@XN--E1AFMKFD.xn--p1ai', 'info@пример。рф']],
  [
    'tee@xn--grner-tee-r9a.example',
    ['tee@grüner-tee.example', 'tee@gru\u0308ner-tee.example', 'Tee@GRÜNER-TEE.Example', 'tee@ｇｒüner-tee.example'],
  ],
  ['a&b@example.com', ['A&B@example.com']],
  ['sales/eu@example.com', ['sales/EU@example.com']],
  ['vip=7@example.com', ['VIP=7@example.com']],
  ["o'neil!#$%&*+-/?^_`{|}~@example.com", ["O'Neil!#$%&*+-/?^_`{|}~@example.com"]],
  ['root@localhost', ['Root@LOCALHOST']],
  ['a.@192.0.2.1', ['A.@192.0.2.1']],
])('%s is accepted in every spelling', (form, spellings) => {
  expect(EmailAddress.parse(form)).toBe(form)
  for (const one of spellings) expect(EmailAddress.parse(one)).toBe(form)
})

const refused = [
  ...[
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'a da@example.com',
    'ada@exam ple.com',
    'ada@@example.com',
    'a"b@example.com',
    '"a b"@example.com',
  ],
  ...[
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@-example.com',
    'ada@example-.com',
    `ada@${'x'.repeat(64)}.com`,
    'ada@exa_mple.com',
  ],
  ...[
    'jörg@example.com',
    'ada@example.com,bob@example.com',
    'ada@example.com\nbcc:bob@example.com',
    'Ada <ada@example.com>',
    'mailto:ada@example.com?x',
  ],
  ...[
    'ada@пример.рф/x',
    'ada@пример.рф:25',
    'ada@при\tмер.рф',
    'a@\u2024рф',
    '=?utf-8?q?x?=@example.com',
    `${'x'.repeat(65)}@example.com`,
    `a@${'x.'.repeat(130)}com`,
  ],
  // Its lower case is in ASCII.
  '\u212aate@example.com',
]
test.each(refused)('%j is no address', (text) => {
  expect(EmailAddress.safeParse(text).success).toBe(false)
})

test('The form of what is no address is itself, and the part before the @ stays as written', () => {
  expect([emailForm('\u212aate@example.com'), emailForm('jörg@Example.com'), emailForm(' x ')]).toEqual([
    '\u212aate@example.com',
    'jörg@Example.com',
    'x',
  ])
  expect([recipientForm(' Ada@ПРИМЕР.рф'), recipientForm('Ada@Example.com'), recipientForm('no')]).toEqual([
    'Ada@xn--e1afmkfd.xn--p1ai',
    'Ada@example.com',
    'no',
  ])
  expect([addressPrefix('Ada@Exa'), addressPrefix('INFO@пример.рф'), addressPrefix('Ad')]).toEqual([
    'ada@exa',
    'info@xn--e1afmkfd.xn--p1ai',
    'ad',
  ])
})
