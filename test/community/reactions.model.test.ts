// 5,000 random actions of 30 people, eight at a time on two processes, keep every counter, rating and number of replies
// equal to the rows.
// REACTION_SEED=random (or a number) picks another seed, REACTION_RUNS sets the number of actions. REACTION_TOLD=1
// prints which cases occurred.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { unit } from '../../api/kit/unit.ts'
import { config } from '../../config.ts'
import { mergeContacts } from '../../entities/crm/merge.ts'
import { attachSession } from '../../entities/crm/ownership.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sweep } from '../../entities/retention.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Random, random } from '../chaos/random.ts'
import { mustHaveMet, tellCases } from '../kit/cases.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { differences, type Forum, newForum, type Person, said, starOf, states, type Target } from '../kit/reactions.ts'
import { type Answer, database } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(600_000)

const seed = process.env.REACTION_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.REACTION_SEED ?? 20261123)
const actions = Number(process.env.REACTION_RUNS ?? 600)
const [crowd, passers, goods, lanes, each] = [30, 8, 6, 8, 100] as const
const day = 86_400

type Known = { id: string; author: number; target: Target; isContent: boolean }
type Scene = { forum: Forum; people: Person[]; targets: Target[]; known: Known[]; log: string[]; surprises: string[] }

let lab: Lab
let orm: Orm
const met: Record<string, number> = {}

beforeAll(async () => {
  lab = await startLab('reactions', {}, { parts: ['postgres', 'migrations'] })
  const [first, second] = await Promise.all([lab.stack.startApi(), lab.stack.startApi()])
  Object.assign(process.env, { TEST_API: first.url, TEST_API_2: second.url })
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })
}, 120_000)
afterAll(async () => {
  await orm.close(true)
  await database().end()
  await lab.stop()
})

/** A refusal is right in a random sequence, an error is not: the kit repeats what deadlocks. */
function note(scene: Scene, what: string, { status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  const how = status < 300 ? 'done' : (body?.code ?? status)
  met[`${what}: ${how}`] = (met[`${what}: ${how}`] ?? 0) + 1
  scene.log.push(`${what}: ${how}`)
  if (status >= 500) scene.surprises.push(`${what}: ${status} ${JSON.stringify(body)}`)
  return status < 300
}

async function inTransaction(scene: Scene, what: string, work: Parameters<typeof unit>[1]): Promise<boolean> {
  try {
    await unit(orm, work)
    return note(scene, what, { status: 200, body: null })
  } catch (error) {
    if (error instanceof Refusal) return note(scene, what, { status: error.status, body: { code: error.code } })
    scene.surprises.push(`${what}: ${error}`)
    return false
  }
}

const now = () => Math.floor(Date.now() / 1000)
const contactOf = async (
  { forum }: Scene,
  { token }: Person,
): Promise<{ contact_id: string; session_id: string } | undefined> => {
  const { rows } = await database().query(
    'select contact_id, id as session_id from contact_sessions where tenant_id = $1 and token_digest = $2 and revoked_at is null',
    [forum.id, createHash('sha256').update(token).digest('hex')],
  )
  return rows[0]
}

type Act = (scene: Scene, draw: Random) => Promise<unknown>
/** The last of the crowd send nothing but marks and stars, and expire. `lasting`: none of them. */
const someone = (scene: Scene, draw: Random, lasting: boolean) => {
  const who = draw.whole(0, crowd - 1 - (lasting ? passers : 0))
  return [who, scene.people[who] as Person] as const
}
/** The newest are drawn more often: old ones are mostly gone. */
const found = (scene: Scene, draw: Random, wanted: (one: Known) => boolean = () => true): Known | undefined =>
  scene.known.findLast((one, at) => wanted(one) && (at === 0 || draw.chance(0.15)))

async function react(
  scene: Scene,
  draw: Random,
  what: string,
  kind: string,
  more: { parentId?: string; blocks?: unknown[] } = {},
  at?: Target,
): Promise<void> {
  const [author, person] = someone(scene, draw, more.blocks !== undefined)
  const target = at ?? draw.pick(scene.targets)
  const answer = await scene.forum.react(person, target, kind, more)
  if (answer.status === 401) {
    // Swept: a visitor who comes back is another one.
    met['came back'] = (met['came back'] ?? 0) + 1
    scene.people[author] = await scene.forum.person()
    return
  }
  if (note(scene, what, answer) && answer.status === 201)
    scene.known.push({ id: answer.body.id, author, target, isContent: more.blocks !== undefined })
}

const words = (draw: Random) => said(`${draw.pick(['good', 'bad', 'hot', 'see https://a.test'])} ${draw.whole(1, 30)}`)

const acts: [weight: number, act: Act][] = [
  [20, (scene, draw) => react(scene, draw, 'mark', draw.pick(['like', 'love', 'wow', 'bookmark']))],
  [12, (scene, draw) => react(scene, draw, 'star', starOf(draw.whole(1, 5)))],
  [6, (scene, draw) => react(scene, draw, 'review', 'review', words(draw))],
  [9, (scene, draw) => react(scene, draw, 'comment', draw.pick(['comment', 'comment', 'question']), words(draw))],
  [
    9,
    async (scene, draw) => {
      const parent = found(scene, draw, ({ isContent }) => isContent)
      if (parent) await react(scene, draw, 'reply', 'comment', { ...words(draw), parentId: parent.id }, parent.target)
    },
  ],
  [
    9,
    async (scene, draw) => {
      const parent = found(scene, draw, ({ isContent }) => isContent)
      if (parent)
        await react(scene, draw, 'mark on content', draw.pick(['like', 'sad']), { parentId: parent.id }, parent.target)
    },
  ],
  [
    6,
    async (scene, draw) => {
      const one = found(scene, draw, ({ isContent }) => isContent)
      if (one)
        note(
          scene,
          'edit',
          await scene.forum.as(scene.people[one.author] as Person, 'PUT', `/reactions/${one.id}`, words(draw)),
        )
    },
  ],
  [
    12,
    async (scene, draw) => {
      const one = found(scene, draw)
      if (one) note(scene, 'moderate', await scene.forum.moderate(one.id, draw.pick(states)))
    },
  ],
  [
    9,
    async (scene, draw) => {
      const one = found(scene, draw)
      if (one)
        note(
          scene,
          'delete own',
          await scene.forum.as(scene.people[one.author] as Person, 'DELETE', `/reactions/${one.id}`),
        )
    },
  ],
  [
    4,
    async (scene, draw) => {
      const one = found(scene, draw)
      if (one) note(scene, 'delete as operator', await scene.forum.ask('DELETE', `/reactions/${one.id}`))
    },
  ],
  [
    0.6,
    async (scene, draw) => {
      const at = draw.whole(0, goods - 1)
      const target = scene.targets[at] as Target
      const replacement = await scene.forum.product()
      if (scene.targets[at] === target) scene.targets[at] = replacement
      note(scene, 'delete target', await scene.forum.ask('DELETE', `/products/${target.id}`))
    },
  ],
  [
    2,
    async (scene, draw) => {
      const pair = [someone(scene, draw, true), someone(scene, draw, true)] as const
      const [[, one], [, other]] = pair
      const [source, target] = [await contactOf(scene, one), await contactOf(scene, other)]
      if (!source || !target || source.contact_id === target.contact_id) return
      const merge = {
        tenant_id: scene.forum.id,
        source_id: source.contact_id,
        target_id: target.contact_id,
        account_id: scene.forum.op.account_id,
        now: now(),
      }
      await inTransaction(scene, 'merge', (em) => mergeContacts(within(em, scene), merge))
      // A person who proved no address comes back as another visitor.
      for (const [who, person] of pair)
        if (!(await contactOf(scene, person)) && scene.people[who] === person)
          scene.people[who] = await scene.forum.person()
    },
  ],
  [
    2,
    async (scene, draw) => {
      const [, person] = someone(scene, draw, true)
      const session = await contactOf(scene, person)
      const email = `reader-${draw.whole(1, 12)}@tillwright.test`
      if (!session) return
      const token = `till_vt_${randomBytes(32).toString('base64url')}`
      const next = { id: session.session_id, token_digest: createHash('sha256').update(token).digest('hex') }
      await inTransaction(scene, 'sign in', async (em) => {
        // As the kit does with each attempt: the session may have ended by a merge.
        const live: unknown[] = await em.execute('select 1 from contact_sessions where id = ? and revoked_at is null', [
          next.id,
        ])
        if (live.length > 0) await attachSession(within(em, scene), scene.forum.id, next, email, now())
      })
      // Requests with the former token are still under way.
      Object.assign(person, { token })
      person.headers['x-service-visitor-token'] = token
    },
  ],
  [
    0.5,
    async (scene, draw) => {
      // All who have sent only marks expire now and then, and what operators removed; requests of theirs may be on
      // their way.
      const short = draw.chance(0.3)
      const expired = { ...config.keep, carts: 1 / day, removed_reactions: 1 / day }
      await sweep(unitOf(orm, null), now(), short ? expired : config.keep)
      note(scene, short ? 'sweep of the expired' : 'sweep', { status: 200, body: null })
    },
  ],
]

const within: (em: Parameters<Parameters<typeof unit>[1]>[0], scene: Scene) => typeof em = (em, { forum }) => {
  em.setFilterParams('tenant', { tenant: forum.id })
  return em
}

test(`After each ${each} of ${actions} random actions, counters and ratings are those of the rows`, async () => {
  const since = performance.now()
  const forum = await newForum()
  const scene: Scene = {
    ...{ forum, known: [], log: [], surprises: [] },
    people: await atOnce(crowd, () => forum.person()),
    targets: await atOnce(goods, () => forum.product()),
  }
  for (let done = 0; done < actions; done += each) {
    scene.log = []
    let left = each
    await atOnce(lanes, async (lane) => {
      const draw = random(seed, String(done), String(lane))
      while (left-- > 0) await draw.weighted(acts)(scene, draw)
    })
    const wrong = [...scene.surprises, ...(await differences(forum.id)).map((one) => JSON.stringify(one))]
    // What is wrong comes first: the end of a long output may be cut.
    if (wrong.length > 0)
      throw new Error(
        [...wrong.slice(0, 20), `seed ${seed}, within the actions ${done} to ${done + each}:`, ...scene.log].join('\n'),
      )
  }
  if (process.env.REACTION_TOLD) tellCases(met, seed, since)
  // A run that never met a case proves nothing about it.
  for (const common of [
    'mark',
    'star',
    'review',
    'comment',
    'reply',
    'mark on content',
    'edit',
    'moderate',
    'delete own',
    'delete as operator',
    'merge',
    'sign in',
  ])
    expect([common, (met[`${common}: done`] ?? 0) >= actions / 500]).toEqual([common, true])
  const rare = ['delete target: done', 'sweep: done', 'sweep of the expired: done', 'came back']
  mustHaveMet(rare, (name) => met[name] ?? 0, actions, 10_000)
})

test('A visitor with marks alone expires, and the marks stay; content keeps its visitor', async () => {
  const forum = await newForum()
  const [passer, author, target] = [await forum.person(), await forum.person(), await forum.product()]
  await forum.react(passer, target, 'like')
  await forum.react(passer, target, 'star_4')
  const { id } = await forum.comment(author, target)
  const later = now() + (Math.max(config.keep.carts, 90) + 1) * day
  // Contacts are read by the thousand, from a random place.
  for (let n = 0; n < 5; n++) await sweep(unitOf(orm, null), later)
  const { rows } = await database().query<{ id: string }>('select id from contacts where id = any ($1)', [
    [passer.contact_id, author.contact_id],
  ])
  expect(rows.map((row) => row.id)).toEqual([author.contact_id])
  const { counts, stars } = (await forum.summary(target)).body
  expect([counts, stars]).toEqual([
    { like: 1, star_4: 1, comment: 1 },
    { average: 4, count: 1 },
  ])
  const { items } = (await forum.as(null, 'GET', `/reactions?targetType=product&targetId=${target.id}`)).body
  const people = items.map(({ kind, customerInfo }: { kind: string; customerInfo: { id: string } | null }) => [
    kind,
    customerInfo?.id ?? null,
  ])
  expect(new Map(people)).toEqual(
    new Map([
      ['like', null],
      ['star_4', null],
      ['comment', author.contact_id],
    ]),
  )
  expect((await forum.as(author, 'GET', `/reactions/${id}`)).status).toBe(200)
  expect(await differences(forum.id)).toEqual([])
})
