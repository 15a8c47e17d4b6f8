// The part of `npm run demo` about lead research: a lead is researched on a page of this process, and each signal is
// shown with its quote and with the place where it stands.
import type { AddressInfo } from 'node:net'
import { keptServer } from '../sim/kept-server.ts'
import { type Callers, say, until } from './steps.ts'

const key = 'models'
const page = `<title>Wickham Wholesale</title>
<h1>Wickham Wholesale</h1>
<p>We supply <b>212 hotels</b> in nine countries with table linen.</p>
<p>In 2024 we opened our third warehouse.</p>
<p>Ask for Ms. Vale.</p>`

/** The page of the lead, on a free port of this machine. */
async function serve(): Promise<{ url: string; requests: string[]; close(): void }> {
  const requests: string[] = []
  const server = keptServer((request, response) => {
    requests.push(request.url ?? '/')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    close: () => void server.close(),
  }
}

/** The store's integration of the simulated model, whose address may be another one at every start. */
async function useModel({ path, operator }: Callers, models: string): Promise<void> {
  const provider = { type: 'llm_a' as const, api_key: 'demo-key', model: 'simulated', base_url: `${models}/v1` }
  const { items } = await operator('GET /v1/stores/{storeId}/integrations', { path, query: { type: provider.type } })
  const found = items.find((one) => one.key === key)
  if (found)
    await operator('PUT /v1/stores/{storeId}/integrations/{id}', {
      path: { ...path, id: found.id },
      body: { provider },
    })
  else await operator('POST /v1/stores/{storeId}/integrations', { path, body: { key, provider } })
}

export async function showResearch(callers: Callers, { models }: { models: string }): Promise<void> {
  const { path, operator } = callers
  await useModel(callers, models)
  const { items: audiences } = await operator('GET /v1/stores/{storeId}/audiences', {
    path,
    query: { query: 'newsletter' },
  })
  const audience = audiences.find((one) => one.key === 'newsletter')
  if (!audience) throw new Error('The store has no audience `newsletter`: seed it first.')
  const email = `buyer-${crypto.randomUUID().slice(0, 8)}@gmail.com`
  const contact = await operator('POST /v1/stores/{storeId}/contacts', { path, body: { email } })
  const member = await operator('POST /v1/stores/{storeId}/audiences/{audienceId}/members', {
    path: { ...path, audienceId: audience.id },
    body: { contact_id: contact.id },
  })
  const site = await serve()
  try {
    const body = {
      audience_id: audience.id,
      member_ids: [member.id],
      goal: `Would they buy towels by the thousand? Their page is ${site.url}`,
      model_id: key,
    }
    const { id } = await operator('POST /v1/stores/{storeId}/lead-research/runs', { path, body })
    say('A lead is researched', `${email}, on ${site.url}`)
    const run = await until('the run ends', async () => {
      const found = await operator('GET /v1/stores/{storeId}/lead-research/runs/{runId}', {
        path: { ...path, runId: id },
      })
      return found.status === 'queued' || found.status === 'running' ? undefined : found
    })
    const { items } = await operator('GET /v1/stores/{storeId}/audiences/leads', {
      path,
      query: { member_ids: [member.id] },
    })
    const insight = items[0]?.insight
    say(
      'What was found out',
      `${run.status}: “${insight?.summary}”, score ${insight?.score}; tokens: ${run.input_tokens} read, ${run.output_tokens} written`,
    )
    for (const { quote, url, source_id } of insight?.signals ?? []) {
      const source = await operator('GET /v1/stores/{storeId}/lead-research/runs/{runId}/sources/{sourceId}', {
        path: { ...path, runId: id, sourceId: source_id },
      })
      say(
        'A signal, and its quote',
        `“${quote}”, on ${url}; it stands there: ${source.content?.includes(quote) ?? false}`,
      )
    }
    const sent = { message_id: crypto.randomUUID(), message: 'Thank you. Write to them?' }
    const ask = () =>
      operator('POST /v1/stores/{storeId}/lead-research/runs/{runId}/messages', {
        path: { ...path, runId: id },
        body: sent,
      })
    const [answer, again] = [await ask(), await ask()]
    say(
      'A message about it, sent twice, has one saved result',
      `“${answer.reply?.content}”; the same one: ${answer.reply?.id === again.reply?.id}`,
    )
  } finally {
    site.close()
  }
}
