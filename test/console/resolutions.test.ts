// What an operator records about an item is recorded once, replaces only what the operator has seen, and is said in
// words.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { ApiProblem, type AttentionItem as Item } from '../../client/client.ts'
import { Unreachable } from '../../console/src/kit/answers.ts'
import { type OpenApi, operationsOf } from '../../console/src/kit/document/operations.ts'
import { attempt, type Drafts, type Request, type Sending } from '../../console/src/kit/form/attempt.ts'
import { newDraft } from '../../console/src/kit/form/draft.ts'
import { bodyOf } from '../../console/src/kit/form/model.ts'
import {
  answerOf,
  choicesOf,
  decisionOf,
  objectFieldOf,
  recordedIn,
  type Typed,
} from '../../console/src/pages/attention/resolutions.ts'
import { AttentionChoice, type AttentionEvidence } from '../../rules/attention.ts'
import { type Decision, type Evidence, needsAttention, type Resolution, resolved } from '../../rules/resolutions.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = document.components
const routes = operationsOf(document).filter(
  ({ path, method }) =>
    method === 'POST' &&
    /attention\/\{id\}\/resolve$|\/runs\/\{id\}\/resolve$|(refunds|messages|publications|replies)\/.*resolve$/.test(
      path,
    ),
)

/** A form of a resolution, and an API that records by the rules. */
function open(spec = 'POST /v1/stores/{storeId}/attention/{id}/resolve') {
  const operation = routes.find((one) => one.spec === spec)
  if (!operation) throw new Error(`no ${spec}`)
  const body = bodyOf(operation.body ?? {}, schemas)
  const draft = newDraft({}, undefined, [])
  const drafts: Drafts = { read: () => ({ ...draft }), change: (part) => void Object.assign(draft, part) }
  return { operation, body, drafts }
}

/** A record with its resolutions and what is known of it; answers are lost on demand. */
function record() {
  const state: { now: Resolution | null; evidence: Evidence[]; isLost: boolean } = {
    ...{ now: null, evidence: [], isLost: false },
  }
  const ask = async ({ body }: Request) => {
    const decision = { account_id: 'a', force: false, ...(body as Partial<Decision>) } as Decision
    const [late_evidence] = state.evidence
    const isSame =
      state.now?.outcome === decision.outcome &&
      !needsAttention({ status: decision.outcome, resolution: state.now, late_evidence })
    try {
      if (!isSame) state.now = resolved(decision, state.evidence, state.now, 1)
    } catch (refusal) {
      throw new ApiProblem(spec, 409, { code: (refusal as { code: string }).code }, new Headers())
    }
    if (state.isLost) throw new Unreachable('No answer arrived.')
    return { item: null }
  }
  return { state, ask }
}
const spec = 'POST'
const depthOf = (one: Resolution | null | undefined): number => (one ? 1 + depthOf(one.before) : 0)

function sender(ask: Sending['ask']) {
  const { operation, body, drafts } = open()
  const sending: Sending = { operation, body, schemas, isChange: false, ask, readNow: undefined }
  return (outcome: string, seen?: string, more?: Typed) => {
    const typed = { ...drafts.read().value, outcome, note: 'Looked.' }
    drafts.change({ value: decisionOf(body, typed, seen, more) })
    return attempt(sending, drafts)
  }
}

test('A resolution whose answer was lost is recorded once when it is sent again', async () => {
  const { state, ask } = record()
  const send = sender(ask)
  state.isLost = true
  expect((await send('succeeded')).kind).toBe('lost')
  state.isLost = false
  expect((await send('succeeded')).kind).toBe('done')
  expect([state.now?.outcome, depthOf(state.now)]).toEqual(['succeeded', 1])
})

test('Of two operators the second replaces what the first has recorded only after seeing it', async () => {
  const { state, ask } = record()
  const [first, second] = [sender(ask), sender(ask)]
  await first('succeeded')
  const refused = await second('rejected')
  expect(refused).toMatchObject({ kind: 'refused', error: { code: 'resolved_otherwise' } })
  expect([state.now?.outcome, depthOf(state.now)]).toEqual(['succeeded', 1])
  const recorded = recordedIn({ evidence: { resolution: state.now } as AttentionEvidence })
  expect((await second('rejected', recorded?.outcome)).kind).toBe('done')
  expect([state.now?.outcome, depthOf(state.now)]).toEqual(['rejected', 2])
})

test('Evidence is overridden only by the attempt that was made when it was shown', async () => {
  const { state, ask } = record()
  const [first, second] = [sender(ask), sender(ask)]
  state.evidence = [{ event: 'evt_1', status: 'succeeded' }]
  expect(await second('rejected')).toMatchObject({ error: { code: 'contradicts_evidence' } })
  await first('succeeded')
  expect(await second('rejected', undefined, { force: true })).toMatchObject({ error: { code: 'resolved_otherwise' } })
  // The evidence that the second operator has not seen.
  state.evidence = [{ event: 'evt_2', status: 'succeeded' }]
  expect(await second('rejected', 'succeeded')).toMatchObject({ error: { code: 'contradicts_evidence' } })
  expect([state.now?.outcome, depthOf(state.now)]).toEqual(['succeeded', 1])
  // Recorded once, also if the answer is lost: the same outcome needs no force again.
  state.isLost = true
  expect((await second('rejected', 'succeeded', { force: true })).kind).toBe('lost')
  state.isLost = false
  expect((await second('rejected', 'succeeded')).kind).toBe('done')
  expect([state.now?.outcome, state.now?.against, depthOf(state.now)]).toEqual(['rejected', state.evidence[0], 2])
})

test('A correction is another outcome than the recorded one, and an open item has all of them', () => {
  const choices = ['succeeded', 'rejected']
  const item = (status: string, resolution: object | null) =>
    choicesOf({ status, resolve: { choices }, evidence: { resolution } } as unknown as Item)
  const recorded = { outcome: 'rejected' }
  expect([item('open', null), item('open', recorded)]).toEqual([choices, choices])
  expect(item('resolved', recorded)).toEqual(['succeeded'])
})

test('Every route that resolves an item takes the outcome that is replaced', () => {
  expect(routes.length).toBeGreaterThan(8)
  for (const { spec, body } of routes)
    expect([spec, decisionOf(bodyOf(body ?? {}, schemas), {}, 'succeeded')]).toEqual([spec, { replaces: 'succeeded' }])
})

test('The id that the provider gave is asked for under the name that each route has', () => {
  const names = routes.map(({ spec, body }) => [
    spec.replace(/^.*\{\w+\}\/(\w+).*?$/, '$1'),
    objectFieldOf(bodyOf(body ?? {}, schemas)),
  ])
  const found = new Set(names.map(([, name]) => name))
  expect(found).toEqual(
    new Set([undefined, 'provider_object_id', 'providerObjectId', 'provider_post_id', 'provider_comment_id']),
  )
})

test('Every outcome that can be recorded is said in words', () => {
  const unsaid = AttentionChoice.options.filter((one) => answerOf(one)[1] === undefined)
  expect(unsaid).toEqual([])
})
