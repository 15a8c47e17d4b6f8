// Messages of a campaign are claimed and settled by statements of their own: they change a row as those of a single
// effect do.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { claim, giveBack, settle, stamp } from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { campaignMessageEffect } from '../../entities/sending/campaign-messages.ts'
import { claimMessages } from '../../entities/sending/sending.ts'
import { type SentResult, settleMessages } from '../../entities/sending/settlement.ts'
import { reasons } from '../../rules/sending/breakers.ts'
import { writtenMessage } from '../kit/campaigns/campaigns.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })])
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const limitMs = 5_000
const inTransaction = <T>(run: (em: ReturnType<typeof unitOf>) => Promise<T>): Promise<T> =>
  unitOf(orm, null).transactional((em) => run(em as ReturnType<typeof unitOf>))

type Written = Awaited<ReturnType<typeof writtenMessage>> & { token: string }

/** The columns of an effect; times as whether there is one. */
const rowOf = async ({ message, token }: Written) =>
  (
    await database().query(
      `select status, attempt, token = $2 as is_own, error, evidence, late_evidence, late_at is not null as is_late,
         claimed_at is not null as is_claimed, sent_at is not null as is_sent, answered_at is not null as is_answered,
         settled_at is not null as is_settled, due_at > clock_timestamp() as waits,
         round(extract(epoch from deadline_at - sent_at))::int as limit_s
       from campaign_messages
       where id = $1`,
      [message, token],
    )
  ).rows[0]

type Answer = Pick<SentResult, 'evidence' | 'error'> & { status: 'succeeded' | 'rejected' | 'unknown' | 'requested' }
type Way = { claim(written: Written): Promise<unknown>; answer(written: Written, answer: Answer): Promise<unknown> }

const waitMs = 60_000
const ways: Record<'single' | 'batch', Way> = {
  single: {
    async claim({ message, token }) {
      await claim(unitOf(orm, null), campaignMessageEffect, message, token)
      await stamp(unitOf(orm, null), campaignMessageEffect, message, token, limitMs)
    },
    answer: ({ message, token }, { status, evidence, error }) =>
      inTransaction((em) =>
        status === 'requested'
          ? giveBack(em, campaignMessageEffect, message, token, error ?? { code: '', message: '' }, waitMs)
          : settle(em, campaignMessageEffect, message, token, { status, evidence, ...(error ? { error } : {}) }),
      ),
  },
  batch: {
    claim: ({ id, mailbox, message, token }) =>
      claimMessages(unitOf(orm, null), mailbox, { ids: [message], campaignIds: [id], unread: [], token, limitMs }),
    answer: ({ mailbox, message, enrollment_id, token }, { status, ...answer }) => {
      const noted = { id: message, enrollment_id, token, provider_message_id: null, ...answer }
      const result: SentResult =
        status === 'requested'
          ? { ...noted, status, wait_ms: waitMs, counts: true }
          : { ...noted, status, again_ms: null, bounce: null }
      return inTransaction((em) => settleMessages(em, mailbox, [result], Math.floor(Date.now() / 1_000)))
    },
  },
}

const error = { code: 'EENVELOPE', message: 'The server refused the recipient.', provider_status: 550 }
const cases: Record<string, Answer[]> = {
  'a claim': [],
  'a success': [{ status: 'succeeded', evidence: { response: 'queued' }, error: null }],
  'a refusal': [{ status: 'rejected', evidence: { command: 'RCPT', status: 550 }, error }],
  'no answer': [{ status: 'unknown', evidence: { command: 'DATA' }, error }],
  'a message that was not sent': [{ status: 'requested', evidence: {}, error }],
  'a success after no answer': [
    { status: 'unknown', evidence: { command: 'DATA' }, error },
    { status: 'succeeded', evidence: { response: 'queued' }, error: null },
  ],
  'nothing sent after no answer': [
    { status: 'unknown', evidence: { command: 'DATA' }, error },
    { status: 'requested', evidence: {}, error },
  ],
}

test.each(Object.entries(cases))('A batch leaves the row as a single effect would after %s', async (_, answers) => {
  const rows = await Promise.all(
    Object.values(ways).map(async (way) => {
      const written = { ...(await writtenMessage(shop)), token: newId() }
      await way.claim(written)
      expect(await rowOf(written)).toMatchObject({ status: 'processing', is_sent: true, limit_s: 8 })
      for (const answer of answers) await way.answer(written, answer)
      return rowOf(written)
    }),
  )
  expect(rows[1]).toEqual(rows[0])
})

/** The last attempt of a stamped message that its server refused for the sender. */
async function lastRefused() {
  const written = { ...(await writtenMessage(shop)), token: newId() }
  const { id, mailbox, message, enrollment_id, token } = written
  await ways.batch.claim(written)
  const noted = {
    ...{ id: message, enrollment_id, token, provider_message_id: null, error, refused: { distrusted: false } },
    evidence: { command: 'RCPT', status: 550 },
  }
  const result: SentResult = {
    ...{ ...noted, status: 'rejected', again_ms: null, bounce: null },
    last: {
      ...{ campaign_id: id, reason: reasons.nearly_all_refused },
      waiting: { ...noted, evidence: {}, status: 'requested', wait_ms: waitMs, counts: true },
    },
  }
  const settleIn = (em: ReturnType<typeof unitOf>) =>
    settleMessages(em, mailbox, [result], Math.floor(Date.now() / 1_000))
  const stateOf = async () => {
    const { rows } = await database().query(
      `select c.status as campaign, c.paused_reason ->> 'code' as reason, s.refused, m.status, e.status as enrollment
       from campaigns c
       join campaign_stats s on s.campaign_id = c.id
       join campaign_messages m on m.campaign_id = c.id
       join enrollments e on e.id = m.enrollment_id
       where c.id = $1`,
      [id],
    )
    return rows[0]
  }
  return { id, settleIn, stateOf }
}

test('A last refusal is counted in the transaction that pauses its campaign, or neither is', async () => {
  const { settleIn, stateOf } = await lastRefused()
  const before = { campaign: 'running', reason: null, refused: 0, status: 'processing', enrollment: 'active' }
  const lost = inTransaction(async (em) => {
    await settleIn(em)
    throw new Error('the commit failed')
  })
  await expect(lost).rejects.toThrow('the commit failed')
  expect(await stateOf()).toEqual(before)
  await inTransaction(settleIn)
  expect(await stateOf()).toEqual({
    ...{ campaign: 'paused', reason: 'nearly_all_refused', refused: 1, status: 'requested', enrollment: 'active' },
  })
})

test('A last refusal of a campaign whose other messages were accepted ends its recipient alone', async () => {
  const { id, settleIn, stateOf } = await lastRefused()
  await database().query('update campaign_stats set succeeded = 9 where campaign_id = $1', [id])
  await inTransaction(settleIn)
  expect(await stateOf()).toMatchObject({ reason: null, refused: 1, status: 'rejected', enrollment: 'failed' })
})
