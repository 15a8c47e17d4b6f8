// What a refusal is about, in the words of real servers: by its code, its enhanced status code and its text, at every
// stage.
import { expect, test } from '@jest/globals'
import {
  codeIn,
  concernsSender,
  type RefusalClass,
  refusalClasses,
  refusalClassOf,
  statusIn,
} from '../../../rules/mail/refusals.ts'
import type { Stage } from '../../../rules/mail/smtp.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const classOf = (text: string, stage: Stage | null = 'rcpt') =>
  refusalClassOf({ stage, code: Number(text.slice(0, 3)), status: statusIn(text), text })

const refusals: Record<Exclude<RefusalClass, 'temporary' | 'unavailable'>, string[]> = {
  address_unknown: [
    '550 5.1.1 <ann@customer.example>: Recipient address rejected: User unknown in virtual mailbox table',
    '550-5.1.1 The email account that you tried to reach does not exist. Please try',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)',
    '550 Requested action not taken: mailbox unavailable',
    '550 No such user here',
    '550 No Such User Here"',
    '550 <spam-policy@blocked.example> no such user',
    '550 Unknown user',
    '550 user unknown',
    '550 ann@customer.example unknown user account',
    '550 Mailbox not found',
    '551 not our customer',
    '553 5.1.2 We weren’t able to find the recipient domain.',
    '550 5.1.0 Address rejected.',
    '550 Unrouteable address',
    '550 sorry, no mailbox here by that name. (#5.1.1)',
    "550 User doesn't exist: ann@customer.example",
    '550 The user does not exist on this server',
    '550 Invalid recipient',
    '550 5.7.1 No such recipient here',
    '550 5.7.17 Mailbox owner has changed',
    '554 delivery error: dd This user doesn’t have a customer.example account (ann@customer.example) [0]',
    '550 Benutzer unbekannt',
    '550 Empfänger existiert nicht',
    "550 Cet utilisateur n'existe pas",
    '550 Destinataire inconnu',
    '550 El usuario no existe',
    '550 Usuário desconhecido',
    '550 Utente sconosciuto',
    '550 Onbekend: gebruiker bestaat niet',
    '550 Нет такого пользователя',
    '550 Пользователь не найден',
    '550 Nieznany adres odbiorcy: użytkownik nie istnieje',
    '550 用户不存在',
    '550 ユーザーが存在しません',
    '550 사용자를 찾을 수 없습니다',
  ],
  mailbox_full: [
    '552 5.2.2 The email account that you tried to reach is over quota',
    '550 5.2.2 Mailbox full',
    '552 Mailbox quota exceeded',
    '550 Quota exceeded (mailbox for user is full)',
    '552 Requested mail action aborted: exceeded storage allocation',
    '552 not allowed now',
    '554 Mailbox of the recipient has exceeded its storage',
    '550 Postfach ist voll',
  ],
  recipient: [
    '550 5.2.1 The email account that you tried to reach is disabled',
    '550 5.7.1 Not for this recipient',
    '550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT013.eop-EUR02.prod.protection.outlook.com]',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restricted',
    '550 5.7.124 Sender not in allowed-senders list',
    '550 no',
    '554 5.0.0 rejected',
    '550 5.0.0',
    '554 transaction failed',
  ],
  size: [
    '552 5.3.4 Message size exceeds fixed limit',
    '552 5.2.3 Message too large for this recipient',
    '523 the message size exceeds the maximum',
    '554 Message too big',
  ],
  protocol: [
    '501 5.5.4 Syntax error in parameters',
    '503 bad sequence of commands',
    '555 5.5.4 Unsupported option',
    '500 what?',
  ],
  reputation: [
    '550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '554 5.7.1 block list',
    '550 5.7.1',
    '554 5.7.1 rejected',
    '554 5.7.0 policy',
    '550 Rejected: your IP is on a blacklist',
    '550 SC-001 (COL004) Unfortunately, messages from 192.0.2.1 weren’t sent. Please contact your Internet service provider since part of their network is on our block list',
    '554 Your access to this mail system has been rejected due to the sending MTA’s poor reputation',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.1]',
    '550 5.1.8 Sender address rejected: Domain not found',
    '550 5.1.0 <me@shop.example>: Sender address rejected: User unknown in virtual alias table',
    '550 Sender verify failed',
    '550 Administrative prohibition: HELO name is invalid',
    '554 5.7.1 Mail from 192.0.2.1 refused by policy',
    '550 Access denied by policy',
  ],
  rate: [
    '550 5.4.5 Daily user sending limit exceeded',
    '550-5.7.28 Our system has detected an unusual rate of unsolicited mail',
    '550 You have exceeded the daily sending quota',
    '554 Too many messages from this account, try tomorrow',
    '550 Message rate limit exceeded',
  ],
  authentication: [
    '550-5.7.26 This mail is unauthenticated, which poses a security risk',
    '550 5.7.515 Access denied, sending domain does not meet the required authentication level',
    '550 5.7.1 SPF check failed',
    '530 5.7.0 Authentication required',
    '550 relaying denied',
    '554 5.7.1 <ann@customer.example>: Relay access denied',
    '550 DMARC policy of shop.example rejects the message',
  ],
  content: [
    '554 5.7.1 The message was classified as spam',
    '550 Message rejected as spam by Content Filtering',
    '552 5.7.0 This message was blocked because its content presents a potential security issue: virus',
    '554 5.6.0 Corrupt message content',
    '550 The attachment type is not allowed',
  ],
}

test.each(Object.entries(refusals).flatMap(([is, texts]) => texts.map((text) => [is, text] as const)))(
  'A refusal is about %s: %s',
  (is, text) => {
    expect(classOf(text)).toBe(is)
    // In a report, with the name of the host, and in reply to DATA and to the final dot.
    expect(classOf(`${text.slice(0, 3)} ${text.slice(4)}`, 'data')).toBe(/^552 not allowed/.test(text) ? 'size' : is)
    if (statusIn(text) !== null)
      expect(
        refusalClassOf({
          stage: null,
          code: null,
          status: statusIn(text),
          text: `smtp; host mx.spam-policy.blocked.example said: ${text}`,
        }),
      ).toBe(is)
  },
)

test('Every class but those of temporary replies and servers is tried; four concern the sender', () => {
  expect([...Object.keys(refusals), 'temporary', 'unavailable'].sort()).toEqual([...refusalClasses].sort())
  expect(refusalClasses.filter(concernsSender)).toEqual(['reputation', 'rate', 'authentication', 'content'])
})

test.each([
  ['greeting', '554 5.7.1 Your IP is listed by Spamhaus', 'reputation'],
  ['greeting', '554 5.3.2 not now', 'unavailable'],
  ['greeting', '550 No such user here', 'unavailable'],
  ['ehlo', '550 bad HELO', 'reputation'],
  ['starttls', '554 no', 'unavailable'],
  ['auth', '535 5.7.8 Username and password not accepted', 'authentication'],
  ['auth', '554 5.7.1 no', 'authentication'],
  ['greeting', '421 too busy', 'temporary'],
  ['rcpt', '450 4.2.0 greylisted', 'temporary'],
  ['dot', '451 4.7.1 spam', 'temporary'],
  ['mail', '550 5.7.1 sender rejected', 'reputation'],
  ['dot', '552 too much', 'size'],
  ['dot', '554 5.7.1 rejected', 'reputation'],
] as const)('At %s the refusal %s is about %s', (stage, text, is) => expect(classOf(text, stage)).toBe(is))

test.each([
  ['5.0.0', 'smtp; 550 No such user here', 'address_unknown'],
  [null, 'smtp; 552 over quota', 'mailbox_full'],
  ['4.4.7', 'smtp; 421 busy', 'temporary'],
  ['5.0.0', '450 later', 'temporary'],
  ['5.1.1', '', 'address_unknown'],
  [null, '', 'recipient'],
] as const)('A report with the status %s and the diagnostic %s is about %s', (status, text, is) => {
  const code = status === null || status === '5.0.0' ? codeIn(text) : null
  expect(refusalClassOf({ stage: null, code, status, text })).toBe(is)
})

test.each([
  'user ',
  'recipient',
  'a.',
  '<',
  '@',
  'exceeded ',
  'message too ',
  'quota',
  'пользователь ',
  'blocked ',
  '5.7.1 ',
])('A reply of %p alone is judged in bounded time', (part) => {
  const text = `550 ${part.repeat(Math.ceil(100_000 / part.length))}`
  expect(processorMs(() => classOf(text), 60)).toBeLessThan(60)
})

test('A status is found in the text of a reply, but not in an address of the network', () => {
  expect(statusIn('550 5.1.1 <ann@customer.example>: no such user')).toBe('5.1.1')
  expect(statusIn('550-5.7.26 unauthenticated')).toBe('5.7.26')
  expect(statusIn('connect to 5.1.1.7: refused')).toBeNull()
  expect(statusIn('192.5.1.1 said: no')).toBeNull()
})
