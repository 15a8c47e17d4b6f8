// What people say is stored once, seen where it may be seen, and changed by those who may.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { unit } from '../../api/kit/unit.ts'
import { editReaction } from '../../entities/community/changes.ts'
import { type Orm, openOrm } from '../../entities/kit/database/orm.ts'
import { proveWith } from '../kit/codes.ts'
import {
  createdOf,
  differences,
  type Forum,
  newForum,
  type Person,
  refused,
  rowsAt,
  said,
  starOf,
  states,
  type Target,
} from '../kit/reactions.ts'
import { type Answer, database, eitherApi, http, operator, unique } from '../kit/shop.ts'

jest.setTimeout(120_000)

let forum: Forum
let ann: Person
let ben: Person
let tea: Target
let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  forum = await newForum()
  ;[ann, ben, tea] = await Promise.all([forum.person(), forum.person(), forum.product()])
})
afterAll(async () => {
  await orm.close(true)
  expect(await differences(forum.id)).toEqual([])
  await database().end()
})

const countsOf = async (target: Target, parentId?: string) => (await forum.summary(target, null, parentId)).body.counts
const at = (id: string) => `/reactions/${id}`
const idsIn = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id)
const listed = (person: Person | null, target: Target, query = '') =>
  forum.as(person, 'GET', `/reactions?targetType=${target.type}&targetId=${target.id}&limit=100${query}`)
const backdate = (id: string, seconds: number) =>
  database().query('update reactions set created_at = created_at - $2 where id = $1', [id, seconds])

test('A reaction is answered as the contract writes it, and the visitor gets a token', async () => {
  const target = await forum.product()
  const made = await forum.as(null, 'POST', '/reactions', { target, kind: 'like' })
  // Without a token the publishable key alone speaks for a visitor.
  const anyone = await http('POST', `/v1/businesses/${forum.id}/reactions`, {
    body: { target, kind: 'like' },
    headers: { 'x-service-publishable-key': forum.publishable_key },
    base: eitherApi(),
  })
  expect([made.status, anyone.status]).toEqual([201, 201])
  expect(made.headers.get('x-service-visitor-token')).toMatch(/^till_vt_/)
  expect(made.body).toMatchObject({
    id: expect.any(String),
    businessId: forum.id,
    customerInfo: { id: expect.any(String), verified: false },
    target,
    parentId: null,
    kind: 'like',
    blocks: [],
    status: 'published',
    depth: 0,
    replyCount: 0,
    verifiedPurchase: false,
    official: false,
    editedAt: null,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  expect((await countsOf(target)).like).toBe(2)
})

test.each(['like', 'love', 'laugh', 'wow', 'sad', 'insightful', 'bookmark_1'])(
  'The mark %s counts once per person, and is taken back',
  async (kind) => {
    const target = await forum.product()
    const first = await forum.react(ann, target, kind)
    const again = await forum.react(ann, target, kind)
    const other = await forum.react(ben, target, kind)
    expect([first.status, again.status, other.status]).toEqual([201, 200, 201])
    expect(again.body).toEqual(first.body)
    expect(await countsOf(target)).toEqual({ [kind]: 2 })
    expect((await forum.summary(target, ann)).body.own).toEqual([{ id: first.body.id, kind, status: 'published' }])
    expect((await forum.as(ann, 'DELETE', at(first.body.id))).status).toBe(200)
    expect((await countsOf(target))[kind]).toBe(1)
    expect((await forum.as(ann, 'GET', at(first.body.id))).status).toBe(404)
    expect((await forum.react(ann, target, kind)).status).toBe(201)
  },
)

test('Another star replaces the first, and the summary has the exact average', async () => {
  const target = await forum.product()
  expect((await forum.summary(target)).body).toMatchObject({
    targetType: 'product',
    targetId: target.id,
    parentId: null,
    counts: {},
    own: [],
  })
  expect((await forum.summary(target)).body.stars).toEqual({ average: null, count: 0 })
  const four = await forum.react(ann, target, 'star_4')
  expect((await forum.react(ann, target, 'star_4')).body).toEqual(four.body)
  const two = await forum.react(ann, target, 'star_2')
  await forum.react(ben, target, 'star_5')
  expect([four.status, two.status, two.body.id === four.body.id]).toEqual([201, 201, false])
  expect((await forum.as(ann, 'GET', at(four.body.id))).status).toBe(404)
  const { body } = await forum.summary(target, ann)
  expect(body.counts).toEqual({ star_2: 1, star_5: 1 })
  expect(body.stars).toEqual({ average: 3.5, count: 2 })
  expect(body.own).toEqual([{ id: two.body.id, kind: 'star_2', status: 'published' }])
})

test('A second review is refused with the id of the first, and shows the stars of its author', async () => {
  const target = await forum.product()
  const review = await createdOf(forum.react(ann, target, 'review', said('It is good.')))
  await forum.react(ann, target, 'star_4')
  const second = await forum.react(ann, target, 'review', said('It is very good.'))
  expect([...refused(second), second.body.reactionId]).toEqual([409, 'already_reviewed', review.id])
  expect((await forum.as(ben, 'GET', at(review.id))).body.stars).toBe(4)
  expect((await listed(ben, target, '&kind=review')).body.items[0]).toMatchObject({ id: review.id, stars: 4 })
  // A review without stars is none of zero stars.
  await createdOf(forum.react(ben, target, 'review', said('I have no number for it.')))
  expect((await forum.summary(target)).body.stars).toEqual({ average: 4, count: 1 })
})

test('The same text in the same place by the same person is one comment', async () => {
  const target = await forum.product()
  const answers = [
    await forum.react(ann, target, 'comment', said('Is it hot?')),
    await forum.react(ann, target, 'comment', said('Is it hot?')),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200])
  expect(answers[1]?.body.id).toBe(answers[0]?.body.id)
  expect((await forum.react(ben, target, 'comment', said('Is it hot?'))).status).toBe(201)
  expect(
    (await forum.react(ann, target, 'comment', { ...said('Is it hot?'), parentId: answers[0]?.body.id })).status,
  ).toBe(201)
  expect(await countsOf(target)).toEqual({ comment: 2 })
})

const block = (type: string, value: unknown, more: object = {}) => ({ blocks: [{ key: 'k', type, value, ...more }] })
const someId = '0199aaaa-0000-7000-8000-0000000000aa'
const refusals: [what: string, body: () => object, status: number, code: string][] = [
  ['a like with content', () => ({ kind: 'like', ...said('x') }), 422, 'content_not_allowed'],
  ['a star with content', () => ({ kind: 'star_3', ...said('x') }), 422, 'content_not_allowed'],
  ['a review without content', () => ({ kind: 'review' }), 422, 'content_required'],
  ['a comment without content', () => ({ kind: 'comment', blocks: [] }), 422, 'content_required'],
  [
    'a comment with a media block',
    () => ({ kind: 'comment', ...block('media', someId) }),
    422,
    'reference_not_allowed',
  ],
  [
    'a comment with an entry block',
    () => ({ kind: 'comment', ...block('entry', someId) }),
    422,
    'reference_not_allowed',
  ],
  [
    'a comment with a product block',
    () => ({ kind: 'comment', ...block('product', tea.id) }),
    422,
    'reference_not_allowed',
  ],
  [
    'a comment that restricts a deletion',
    () => ({ kind: 'comment', ...block('product', tea.id, { properties: { on_delete: 'restrict' } }) }),
    422,
    'reference_not_allowed',
  ],
  [
    'a custom kind with a digital product',
    () => ({ kind: 'question', ...block('digital_product', tea.id) }),
    422,
    'reference_not_allowed',
  ],
]
test.each(refusals)('Refused: %s', async (_, body, status, code) => {
  const answer = await forum.as(ann, 'POST', '/reactions', { target: tea, ...body() })
  const codes = [answer.body.code, ...(answer.body.errors ?? []).map((fault: { code: string }) => fault.code)]
  expect([answer.status, codes.includes(code) || codes]).toEqual([status, true])
})

test('Content has ten blocks and 10,000 characters at most, also in nested values', async () => {
  const texts = (count: number, length: number) => ({
    blocks: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, type: 'text', value: 'x'.repeat(length) })),
  })
  const post = async (content: object) =>
    (await forum.as(ann, 'POST', '/reactions', { target: await forum.product(), kind: 'comment', ...content })).status
  expect([
    await post(texts(10, 950)),
    await post(texts(11, 1)),
    await post(texts(10, 1_001)),
    await post(texts(1, 10_001)),
  ]).toEqual([201, 422, 422, 422])
  for (const [type, value] of [
    ['object', { a: [{ type: 'product', value: tea.id }] }],
    ['list', [tea.id]],
    ['url', 'https://a.test'],
    ['email', 'a@b.test'],
    ['localized_text', { en: 'x' }],
  ])
    expect([type, await post(block(type as string, value))]).toEqual([type, 422])
})

test('A hostile comment keeps no product from being deleted', async () => {
  const target = await forum.product()
  for (const type of ['text', 'markdown'])
    await forum.comment(ann, target, `${target.id} {{product:${target.id}}} ${type}`)
  expect((await database().query(`select 1 from block_references where owner_kind = 'reaction'`)).rowCount).toBe(0)
  expect((await forum.ask('DELETE', `/products/${target.id}`)).status).toBe(200)
})

test('A reaction needs a target of the business, and a reply the target of its parent', async () => {
  const [mine, other, elsewhere] = [await forum.product(), await forum.product(), await (await newForum()).product()]
  const parent = await forum.comment(ann, mine)
  const mark = await createdOf(forum.react(ann, mine, 'like'))
  for (const target of [elsewhere, { ...mine, type: 'service' as const }, { ...mine, id: someId }])
    expect((await forum.react(ann, target, 'like')).status).toBe(404)
  expect(refused(await forum.react(ben, other, 'comment', { ...said('x'), parentId: parent.id }))).toEqual([
    422,
    expect.any(String),
  ])
  expect((await forum.react(ben, mine, 'like', { parentId: mark.id })).status).not.toBe(201)
  expect((await forum.react(ben, mine, 'star_3', { parentId: parent.id })).status).toBe(422)
  expect((await forum.react(ben, mine, 'like', { parentId: someId })).status).toBe(404)
  expect((await forum.react(ben, mine, 'like', { parentId: parent.id })).status).toBe(201)
  expect(await countsOf(mine, parent.id)).toEqual({ like: 1 })
  expect(await countsOf(mine)).toEqual({ comment: 1, like: 1 })
})

test('A thread is five replies deep, and counts its replies', async () => {
  const target = await forum.product()
  let parent = await forum.comment(ann, target)
  for (let depth = 1; depth <= 5; depth++) {
    const reply = await forum.comment(depth % 2 ? ben : ann, target, undefined, { parentId: parent.id })
    expect([reply.depth, reply.parentId]).toEqual([depth, parent.id])
    expect((await forum.as(null, 'GET', at(parent.id))).body.replyCount).toBe(1)
    parent = reply
  }
  expect((await forum.react(ann, target, 'comment', { ...said('too deep'), parentId: parent.id })).status).toBe(422)
  expect((await listed(null, target, '&parentId=null')).body.items).toHaveLength(1)
})

describe('Who may change what', () => {
  test('Target, kind and parent of a reaction never change, and its author edits its content', async () => {
    const [target, other] = [await forum.product(), await forum.product()]
    const { id } = await forum.comment(ann, target, 'First')
    for (const change of [{ target: other }, { kind: 'review' }, { parentId: someId }]) {
      const answer = await forum.as(ann, 'PUT', at(id), { ...said('Second'), ...change })
      const codes = [answer.body.code, ...(answer.body.errors ?? []).map((fault: { code: string }) => fault.code)]
      expect([answer.status, codes.includes('cannot_change') || codes]).toEqual([422, true])
    }
    const edited = await forum.as(ann, 'PUT', at(id), { ...said('Second'), target, kind: 'comment', parentId: null })
    expect([edited.status, edited.body.blocks[0].value, edited.body.editedAt]).toEqual([
      200,
      'Second',
      expect.any(Number),
    ])
    expect(refused(await forum.as(ben, 'PUT', at(id), said('Mine')))).toEqual([403, 'forbidden'])
    const { id: mark } = await createdOf(forum.react(ann, target, 'like'))
    expect((await forum.as(ann, 'PUT', at(mark), said('Words'))).status).toBe(409)
    const columns = { kind: 'review', target_type: 'service', target_id: other.id, parent_id: mark, place_id: other.id }
    for (const [column, value] of Object.entries(columns))
      await expect(database().query(`update reactions set ${column} = $2 where id = $1`, [id, value])).rejects.toThrow(
        /violates check constraint/,
      )
  })

  test('Content that its author sends back as it was read stays published', async () => {
    const { id } = await createdOf(forum.react(ann, await forum.product(), 'comment', said('See https://shop.example')))
    const published = (await forum.moderate(id, 'published')).body
    const read = (await forum.as(ann, 'GET', at(id))).body
    for (const body of [read, {}, said('See https://shop.example')])
      expect(await forum.as(ann, 'PUT', at(id), body)).toMatchObject({ status: 200, body: read })
    expect((await forum.ask('GET', at(id))).body).toEqual(published)
    expect((await forum.as(ann, 'PUT', at(id), said('See https://shop.example now'))).body.status).toBe('pending')
  })

  test('Content without anything to read is refused, sent and as a change', async () => {
    const target = await forum.product()
    const { id } = await forum.comment(ann, target)
    for (const value of [undefined, null, '', ' \n', '\u200b']) {
      const blank = { blocks: [{ key: 'text', type: 'text', value }] }
      for (const kind of ['comment', 'review', 'question'])
        expect([kind, value, ...refused(await forum.react(ben, target, kind, blank))]).toEqual([
          kind,
          value,
          422,
          'content_required',
        ])
      expect(refused(await forum.as(ann, 'PUT', at(id), blank))).toEqual([422, 'content_required'])
    }
    for (const value of [0, false]) {
      const type = typeof value
      expect((await forum.react(ben, target, 'answer', { blocks: [{ key: 'choice', type, value }] })).status).toBe(201)
    }
  })

  test('A second review names the first as `reactionId`, as the document says', async () => {
    const target = await forum.product()
    const { id } = await createdOf(forum.react(ann, target, 'review', said('Good')))
    expect((await forum.react(ann, target, 'review', said('Better'))).body).toMatchObject({
      code: 'already_reviewed',
      reactionId: id,
    })
    const { body } = await http('GET', '/openapi.json')
    expect(body.paths['/v1/businesses/{businessId}/reactions'].post.responses[409].description).toContain(
      '`reactionId` is its identifier',
    )
    expect(body.components.schemas.CreateBusinessReactionBody.properties.blocks.maxItems).toBe(10)
    const eleven = Array.from({ length: 11 }, () => said('x').blocks[0])
    expect((await forum.react(ann, target, 'comment', { blocks: eleven })).body.errors).toEqual([
      { pointer: '/blocks', code: 'too_big', detail: 'Expected at most 10 items.' },
    ])
  })

  test('A deleted comment that stays for its replies is refused as deleted', async () => {
    const { id, target } = await forum.comment(ann, await forum.product())
    await forum.comment(ben, target as Target, 'A reply', { parentId: id })
    expect((await forum.as(ann, 'DELETE', at(id))).status).toBe(200)
    for (const answer of [await forum.moderate(id, 'published'), await forum.ask('DELETE', at(id))])
      expect([...refused(answer), answer.body.detail]).toEqual([
        409,
        'reaction_removed',
        expect.stringMatching(/was deleted/),
      ])
  })

  test('An edit is open until the last second of its window, and closed one later', async () => {
    const { id, createdAt } = await forum.comment(ann, await forum.product())
    const author = { id: ann.contact_id, official: false, verified: false }
    const edit = (after: number) =>
      unit(orm, (em) => {
        em.setFilterParams('tenant', { tenant: forum.id })
        return editReaction(
          em,
          forum.id,
          author,
          id,
          { blocks: [{ id: unique(), key: 'text', type: 'text', value: `After ${after} s` }] as never },
          Number(createdAt) + after,
        )
      })
    await edit(15 * 60 - 1)
    await expect(edit(15 * 60)).rejects.toMatchObject({ status: 403, code: 'edit_window_closed' })
    expect((await forum.as(ann, 'GET', at(id))).body).toMatchObject({
      blocks: [{ value: `After ${15 * 60 - 1} s` }],
      editedAt: Number(createdAt) + 15 * 60 - 1,
    })
  })

  test('The window is the setting of the business, over HTTP too', async () => {
    await forum.settings({ window: 0 })
    const { id } = await forum.comment(ann, await forum.product())
    expect((await forum.as(ann, 'PUT', at(id), said('Later'))).body.detail).toBe(
      'Content cannot be changed once it is sent.',
    )
    for (const minutes of [15, 1]) {
      await forum.settings(minutes === 15 ? {} : { window: minutes })
      const [inside, outside] = [
        await forum.comment(ann, await forum.product()),
        await forum.comment(ann, await forum.product()),
      ]
      // The request that follows takes seconds at most on a slow machine.
      await backdate(inside.id, minutes * 60 - 30)
      await backdate(outside.id, minutes * 60 + 1)
      expect((await forum.as(ann, 'PUT', at(inside.id), said('In time'))).status).toBe(200)
      expect(refused(await forum.as(ann, 'PUT', at(outside.id), said('Too late')))).toEqual([403, 'edit_window_closed'])
    }
    await forum.settings({})
  })

  test('Content with replies becomes a stone without its person, and gives its slot free', async () => {
    const target = await forum.product()
    const review = await createdOf(forum.react(ann, target, 'review', said('It is good.')))
    const reply = await forum.comment(ben, target, undefined, { parentId: review.id })
    expect(refused(await forum.as(ben, 'DELETE', at(review.id)))).toEqual([403, 'forbidden'])
    expect((await forum.as(ann, 'DELETE', at(review.id))).status).toBe(200)
    const stone = (await forum.ask('GET', at(review.id))).body
    expect(stone).toMatchObject({ status: 'removed', blocks: [], customerInfo: null })
    expect((await forum.as(null, 'GET', at(reply.id))).status).toBe(200)
    expect((await countsOf(target)).review).toBeUndefined()
    expect((await forum.react(ann, target, 'review', said('It is better.'))).status).toBe(201)
    expect((await forum.as(ben, 'DELETE', at(reply.id))).status).toBe(200)
    expect((await forum.ask('GET', at(reply.id))).status).toBe(404)
  })

  test('An operator deletes anything, speaks as the business, and gives no stars', async () => {
    const target = await forum.product()
    const asked = await forum.comment(ann, target)
    const answer = await createdOf(
      forum.ask('POST', '/reactions', { target, kind: 'comment', parentId: asked.id, ...said('Yes.') }),
    )
    expect(answer).toMatchObject({ official: true, customerInfo: null, status: 'published' })
    for (const kind of ['star_5', 'review'])
      expect(
        refused(await forum.ask('POST', '/reactions', { target, kind, ...(kind === 'review' ? said('Good.') : {}) })),
      ).toEqual([403, 'customers_only'])
    expect((await forum.ask('DELETE', at(answer.id))).status).toBe(200)
    expect((await forum.ask('DELETE', at(asked.id))).status).toBe(200)
    expect(await rowsAt(target)).toEqual([])
  })
})

describe('What is hidden', () => {
  const absent = ['pending', 'hidden', 'removed'] as const
  test.each(absent)('Neither a %s comment nor anything below it is seen by customers', async (status) => {
    const target = await forum.product()
    const word = `word${unique()}`
    const top = await forum.comment(ann, target, `Top ${word}`)
    const reply = await forum.comment(ben, target, `Reply ${word}`, { parentId: top.id })
    const deep = await forum.comment(ben, target, `Deep ${word}`, { parentId: reply.id })
    await forum.react(ben, target, 'like', { parentId: top.id })
    await forum.react(ben, target, 'love', { parentId: deep.id })
    expect(idsIn(await listed(null, target, `&query=${word}`))).toHaveLength(3)
    await forum.moderate(top.id, status)
    const outsider = await forum.person()
    for (const person of [null, outsider]) {
      for (const { id } of [top, reply, deep]) {
        expect((await forum.as(person, 'GET', at(id))).status).toBe(404)
        const below = await forum.summary(target, person, id)
        expect(
          below.status === 404 || (Object.keys(below.body.counts).length === 0 && below.body.own.length === 0),
        ).toBe(true)
        expect((await forum.react(person ?? outsider, target, 'wow', { parentId: id })).status).toBe(404)
        expect((await forum.react(person ?? outsider, target, 'comment', { ...said('x'), parentId: id })).status).toBe(
          404,
        )
      }
      for (const query of [
        '',
        `&query=${word}`,
        '&parentId=null',
        '&contentOnly=true',
        `&parentId=${top.id}`,
        `&parentId=${reply.id}`,
        `&customerId=${ann.contact_id}`,
        '&kind=comment',
        '&kind=love',
      ])
        expect([query, (await listed(person, target, query)).body.items ?? []]).toEqual([query, []])
      expect((await forum.summary(target, person)).body.own).toEqual([])
    }
    // The number at the target does not say more than the list does.
    expect((await countsOf(target)).comment ?? 0).toBe(0)
    const own = await forum.as(ann, 'GET', at(top.id))
    expect(own.status).toBe(status === 'pending' ? 200 : 404)
    const admin = await forum.ask('GET', `/reactions/admin?targetType=product&targetId=${target.id}&limit=100`)
    expect(idsIn(admin)).toEqual(expect.arrayContaining([top.id, reply.id, deep.id]))
    await forum.moderate(top.id, 'published')
    expect(idsIn(await listed(null, target, `&query=${word}`))).toHaveLength(3)
  })

  test('Customers list their own by status, and nothing of others', async () => {
    const target = await forum.product()
    const mine = await forum.comment(ann, target)
    await forum.moderate(mine.id, 'pending')
    expect(idsIn(await listed(ann, target, '&status=pending'))).toEqual([mine.id])
    for (const person of [ben, null])
      expect((await listed(person, target, '&status=pending')).body.items ?? []).toEqual([])
    expect((await listed(ben, target, `&status=pending&customerId=${ann.contact_id}`)).body.items ?? []).toEqual([])
    for (const status of ['hidden', 'removed']) {
      await forum.moderate(mine.id, status)
      for (const person of [ben, null])
        expect((await listed(person, target, `&status=${status}`)).body.items ?? []).toEqual([])
    }
  })

  test('Notes and moderators are shown to operators alone', async () => {
    const target = await forum.product()
    const { id } = await forum.comment(ann, target)
    await forum.ask('POST', `/reactions/${id}/moderate`, { status: 'published', note: 'It stays.' })
    expect((await forum.ask('GET', at(id))).body.note).toBe('It stays.')
    for (const person of [ann, ben, null]) {
      const text = JSON.stringify([(await forum.as(person, 'GET', at(id))).body, (await listed(person, target)).body])
      expect(text).not.toContain('It stays.')
      expect(text).not.toContain(forum.op.account_id)
    }
    expect((await forum.as(ann, 'GET', '/reactions/admin')).status).toBe(401)
  })

  test('A slot that an operator hid or removed is not taken again', async () => {
    for (const status of ['hidden', 'removed'])
      for (const [kind, more] of [
        ['like', {}],
        ['star_4', {}],
        ['review', said('Bad words')],
      ] as const) {
        const target = await forum.product()
        const { id } = await createdOf(forum.react(ann, target, kind, more))
        await forum.moderate(id, status)
        expect(await countsOf(target)).toEqual({})
        expect(refused(await forum.react(ann, target, kind === 'star_4' ? 'star_5' : kind, more))).toEqual([
          409,
          'reaction_removed',
        ])
        expect((await forum.summary(target)).body.stars).toEqual({ average: null, count: 0 })
      }
  })
})

describe('Moderation', () => {
  const moves = states.flatMap((from) => states.map((to) => [from, to] as const))
  test.each(moves)('A move from %s to %s counts once, however often it is sent', async (from, to) => {
    expect(moves).toHaveLength(16)
    const target = await forum.product()
    const [comment, star, like] = [
      await forum.comment(ann, target),
      await forum.react(ann, target, 'star_4'),
      await forum.react(ben, target, 'like'),
    ]
    const all = [comment.id, star.body.id, like.body.id]
    for (const id of all) await forum.moderate(id, from)
    for (let times = 0; times < 2; times++) {
      for (const id of all)
        expect([await forum.moderate(id, to)].map(({ status, body }) => [status, body.status])).toEqual([[200, to]])
      const seen = to === 'published'
      const { body } = await forum.summary(target)
      expect(body.counts).toEqual(seen ? { comment: 1, star_4: 1, like: 1 } : {})
      expect(body.stars).toEqual(seen ? { average: 4, count: 1 } : { average: null, count: 0 })
    }
    expect(await differences(forum.id)).toEqual([])
  })

  test('Only operators of the business moderate', async () => {
    const target = await forum.product()
    const { id } = await forum.comment(ann, target)
    const stranger = await operator()
    const other = await newForum()
    expect((await forum.as(ann, 'POST', `/reactions/${id}/moderate`, { status: 'hidden' })).status).toBe(401)
    expect((await forum.as(null, 'POST', `/reactions/${id}/moderate`, { status: 'hidden' })).status).toBe(401)
    expect(
      (
        await http('POST', `/v1/businesses/${forum.id}/reactions/${id}/moderate`, {
          body: { status: 'hidden' },
          headers: stranger.headers,
        })
      ).status,
    ).toBe(404)
    expect((await other.moderate(id, 'hidden')).status).toBe(404)
    expect((await other.ask('DELETE', at(id))).status).toBe(404)
    expect((await forum.as(ben, 'GET', at(id))).status).toBe(200)
    expect((await forum.moderate(id, 'shown')).status).toBe(422)
  })

  test('What waits for its moderator is chosen by the setting', async () => {
    const linked = said('See https://shop.test/offer')
    const plain = said('It is good.')
    const verified = await forum.person()
    await proveWith(verified.headers)
    const stateOf = async (person: Person, content: object) =>
      (await forum.react(person, await forum.product(), 'comment', content)).body.status
    await forum.settings({ moderation: 'auto', words: ['Casino'] })
    expect(await stateOf(ann, plain)).toBe('published')
    expect(await stateOf(ann, linked)).toBe('pending')
    expect(await stateOf(ann, said('Play at our casino tonight'))).toBe('pending')
    expect(await stateOf(verified, linked)).toBe('published')
    await forum.settings({ moderation: 'all' })
    expect([await stateOf(ann, plain), await stateOf(verified, plain)]).toEqual(['pending', 'pending'])
    expect((await forum.react(ann, await forum.product(), 'like')).body.status).toBe('published')
    await forum.settings({ moderation: 'none' })
    expect(await stateOf(ann, linked)).toBe('published')
    await forum.settings({})
    // An edit is judged again.
    const { id } = await createdOf(forum.react(ann, await forum.product(), 'comment', plain))
    expect((await forum.as(ann, 'PUT', at(id), linked)).body.status).toBe('pending')
  })

  test('Visitors without a sign-in may do what the setting says', async () => {
    const target = await forum.product()
    await forum.settings({ anonymous: 'marks' })
    expect((await forum.react(ann, target, 'like')).status).toBe(201)
    expect(refused(await forum.react(ann, target, 'comment', said('Hello')))).toEqual([403, 'sign_in_required'])
    await forum.settings({ anonymous: 'none' })
    expect(refused(await forum.react(ann, target, 'love'))).toEqual([403, 'sign_in_required'])
    expect(refused(await forum.react(null, target, 'love'))).toEqual([403, 'sign_in_required'])
    await forum.settings({})
  })
})

describe('Lists', () => {
  let target: Target
  const made: Record<string, string> = {}
  beforeAll(async () => {
    target = await forum.product()
    made.comment = (await forum.comment(ann, target, 'A kettle')).id
    made.reply = (await forum.comment(ben, target, 'The kettle whistles', { parentId: made.comment })).id
    made.review = (await createdOf(forum.react(ben, target, 'review', said('Warm cups')))).id
    made.like = (await forum.react(ann, target, 'like')).body.id
    made.question = (await createdOf(forum.react(ann, target, 'question', said('How many cups?')))).id
  })

  test.each<[string, () => string, string[]]>([
    ['roots', () => '&parentId=null', ['comment', 'review', 'like', 'question']],
    ['replies', () => `&parentId=${made.comment}`, ['reply']],
    ['a customer', () => `&customerId=${ben.contact_id}`, ['reply', 'review']],
    ['one kind', () => '&kind=review', ['review']],
    ['several kinds', () => '&kind=like&kind=question', ['like', 'question']],
    ['content', () => '&contentOnly=true', ['comment', 'reply', 'review', 'question']],
    ['a word', () => '&query=kettle', ['comment', 'reply']],
    ['a beginning', () => '&query=whist', ['reply']],
  ])('A list is filtered by %s, for customers and operators', async (_, query, names) => {
    const expected = names.map((name) => made[name]).sort()
    expect(idsIn(await listed(null, target, query())).sort()).toEqual(expected)
    expect(
      idsIn(
        await forum.ask('GET', `/reactions/admin?targetType=product&targetId=${target.id}&limit=100${query()}`),
      ).sort(),
    ).toEqual(expected)
  })

  test('Pages follow each other without a gap, newest first, and by replies', async () => {
    for (const query of ['', '&sortDirection=asc', '&sortField=replyCount']) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Answer = await forum.as(
          null,
          'GET',
          `/reactions?targetType=product&targetId=${target.id}&limit=2${query}&cursor=${cursor}`,
        )
        seen.push(...idsIn(page))
        cursor = page.body.cursor
      }
      const { like, ...contents } = made
      // Marks have no replies.
      expect(seen.toSorted()).toEqual(
        [...Object.values(contents), ...(query.includes('replyCount') ? [] : [like])].sort(),
      )
      if (query.includes('replyCount')) expect(seen[0]).toBe(made.comment)
    }
  })

  test('A page has the marks on each comment', async () => {
    await forum.react(ben, target, 'like', { parentId: made.comment })
    await forum.react(ann, target, 'like', { parentId: made.comment })
    const { items } = (await listed(null, target, '&kind=comment')).body
    expect(items.find(({ id }: { id: string }) => id === made.comment).counts).toEqual({ like: 2, comment: 1 })
  })
})

test('A mark of a deleted target is not found, also when it is sent again', async () => {
  const target = await forum.product()
  const { id } = await createdOf(forum.react(ann, target, 'like'))
  expect((await forum.ask('DELETE', `/products/${target.id}`)).status).toBe(200)
  expect((await forum.react(ann, target, 'like')).status).toBe(404)
  expect((await forum.as(ann, 'GET', at(id))).status).toBe(404)
})

test('Archived targets keep their reactions and take no new ones', async () => {
  const target = await forum.product()
  const { id } = await forum.comment(ann, target)
  expect((await forum.ask('PUT', `/products/${target.id}`, { status: 'ARCHIVED' })).status).toBe(200)
  expect((await forum.as(null, 'GET', at(id))).status).toBe(200)
  expect((await forum.react(ben, target, 'like')).status).toBe(404)
  expect((await forum.react(ben, target, 'comment', said('x'))).status).toBe(404)
})

test('The average of random stars is the exact quotient, against big integers', async () => {
  for (let round = 0; round < 4; round++) {
    const target = await forum.product()
    const stars = Array.from({ length: 2 + 3 * round }, () => 1 + Math.floor(Math.random() * 5))
    const people = await Promise.all(stars.map(() => forum.person()))
    await Promise.all(stars.map((n, i) => forum.react(people[i] as Person, target, starOf(n))))
    const sum = stars.reduce((all, n) => all + BigInt(n), 0n)
    const { average, count } = (await forum.summary(target)).body.stars
    expect(count).toBe(stars.length)
    // The nearest double of the quotient: no other one times the count is nearer to the sum.
    expect(average).toBe(Number(sum) / stars.length)
    const scale = 10n ** 12n
    const error = BigInt(Math.round(average * 1e12)) - (sum * scale) / BigInt(stars.length)
    expect(error >= -1n && error <= 1n).toBe(true)
  }
})
