// `npm run bench`: rates and latencies of the measured paths and of their floors, in one run on a stack of its own.
//   npm run bench -- --only quote,refund --seconds 4 (each)
//   npm run bench -- --json
//   npm run bench -- --markdown (the table of docs/numbers.md)
//   npm run bench -- --profile DIR (a CPU profile of the API)
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { alone } from '../dev/alone.ts'
import { seed } from '../dev/seed/seed.ts'
import { apiHeap, everyPart, type Stack, startStack } from '../dev/stack.ts'
import { channelUpdates } from './agents/channel-updates.ts'
import { chatLists } from './agents/chat-lists.ts'
import { chatMessage } from './agents/chat-message.ts'
import { chatWaiting } from './agents/chat-waiting.ts'
import { access, memberImport, subscribeOpen } from './audiences/audiences.ts'
import { overdueMembers } from './audiences/overdue-members.ts'
import { cardSubscribe, invoicePaid } from './audiences/subscriptions.ts'
import { fairness } from './automation/fairness.ts'
import { graph, graphInside, graphTrigger } from './automation/graph.ts'
import { sandbox } from './automation/sandbox.ts'
import { approval } from './bookings/approval.ts'
import { availability, availabilityLarge } from './bookings/availability.ts'
import { bookingBusiness } from './bookings/booking-business.ts'
import { bookingCheckout } from './bookings/booking-checkout.ts'
import { campaignFairness } from './campaigns/campaign-fairness.ts'
import { campaign, campaignFar, campaignImport, campaignLarge } from './campaigns/campaigns.ts'
import { entryList } from './catalog/entry-list.ts'
import { productList, productListLarge } from './catalog/product-list.ts'
import { taxonomyDelete } from './catalog/taxonomy-delete.ts'
import { comments20, comments100, reactionLists, reactionSummary } from './community/reaction-lists.ts'
import { reactionRemoval } from './community/reaction-removal.ts'
import { likes, starsOne } from './community/reactions.ts'
import { contactList, contactMerge } from './contacts.ts'
import { erasure } from './erasure.ts'
import { formSubmission } from './form-submission.ts'
import type { Floor } from './kit/load.ts'
import { numbers } from './kit/numbers.ts'
import type { Measure, Path, Result, Target } from './kit/path.ts'
import { floorQueue, type Load, startFloorWorker, startLoad } from './kit/processes.ts'
import { floorOf, perRequest, type Recorder, startRecorder } from './kit/record.ts'
import { resultOf, table } from './kit/report.ts'
import { openShop, type Shop } from './kit/shop.ts'
import { startBenchWorker } from './kit/worker.ts'
import { networkSearchCity, networkSearchCountry } from './network-search.ts'
import { cardCheckout } from './orders/card-checkout.ts'
import { cartUpdate } from './orders/cart-update.ts'
import { cashCheckout } from './orders/cash-checkout.ts'
import { orderFilters } from './orders/order-filters.ts'
import { orderList } from './orders/order-list.ts'
import { quote } from './orders/quote.ts'
import { refund } from './orders/refund.ts'
import { signInByCode } from './sign-in.ts'
import { socialComments, socialReply, socialSync } from './social/engagement.ts'
import { publicationSchedule, publications } from './social/publications.ts'
import { spelling } from './spelling.ts'
import { apiStart, workerStart } from './start-up.ts'
import { webhooks, webhooksBacklog, webhooksBeside } from './webhooks.ts'

const paths: Path[] = [
  cartUpdate,
  quote,
  cashCheckout,
  productList,
  orderList,
  cardCheckout,
  refund,
  approval,
  productListLarge,
  availability,
  availabilityLarge,
  bookingCheckout,
  bookingBusiness,
  orderFilters,
  entryList,
  networkSearchCity,
  networkSearchCountry,
  formSubmission,
  access,
  subscribeOpen,
  cardSubscribe,
  contactList,
  starsOne,
  reactionSummary,
  comments20,
  comments100,
  chatMessage,
  publicationSchedule,
  socialComments,
  socialReply,
  graph,
  graphInside,
  // Last: the rest of their outbox would run beside the next measurement.
  graphTrigger,
  invoicePaid,
]
const measures: Measure[] = [
  webhooks,
  webhooksBeside,
  webhooksBacklog,
  fairness,
  signInByCode,
  sandbox,
  taxonomyDelete,
  spelling,
  erasure,
  memberImport,
  contactMerge,
  overdueMembers,
  campaign,
  campaignFar,
  campaignImport,
  campaignLarge,
  campaignFairness,
  channelUpdates,
  likes,
  reactionLists,
  reactionRemoval,
  chatLists,
  chatWaiting,
  publications,
  socialSync,
  apiStart,
  workerStart,
]
const everything = [...paths, ...measures]
const clientCounts = [1, 8]

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    markdown: { type: 'boolean' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    profile: { type: 'string' },
  },
})
const only = options.only?.split(',')
const strange = only?.filter((name) => !everything.some((one) => one.name === name)) ?? []
if (strange.length > 0) {
  console.error(
    `--only: there is no ${strange.join(', ')} (there are ${everything.map(({ name }) => name).join(', ')})`,
  )
  process.exit(1)
}
const isChosen = ({ name }: { name: string }) => !only || only.includes(name)
const chosen = paths.filter(isChosen)
const measured: { name: string; target?: Target; floor?: Path['floor'] }[] = [
  ...chosen,
  ...measures.filter(isChosen).flatMap((one): { name: string; target?: Target }[] => one.parts ?? [one]),
]
const ms = Number(options.seconds) * 1000
const say = (line: string) => process.stderr.write(`${line}\n`)

type Bench = { stack: Stack; shop: Shop; load: Load; recorder: Recorder; floorWorker: () => Promise<void> }

async function measure(
  one: Path,
  clients: number,
  { stack, shop, load, recorder, floorWorker }: Bench,
): Promise<Result> {
  // The statements of each client are recorded: with those of one client all would contend for one row.
  const recorded = await recorder.record((await one.lanes(shop, clients, 1)).flatMap((asks) => asks.slice(0, 1)))
  const url = String(stack.env.DATABASE_URL)
  const workflow = one.floor === 'workflow' ? 'floor' : one.floor === 'turn' ? 'floor_turn' : null
  if (workflow) await floorWorker()
  const floor: Floor | null = workflow
    ? { kind: 'workflow', workflow, address: String(stack.env.TEMPORAL_ADDRESS), queue: floorQueue, clients }
    : one.floor && (await floorOf(one, shop, recorded, clients, url))
  const lanes = await one.lanes(shop, clients, Math.ceil((one.once ?? clients) / clients))
  const times = await load.run({
    base: shop.api,
    temporal: String(stack.env.TEMPORAL_ADDRESS),
    lanes,
    once: one.once !== undefined,
    floor,
    rounds: 2,
    ms,
    floorMs: ms / 2,
    warmMs: 750,
  })
  await one.check?.(shop, times.path.each.length)
  return resultOf(one.name, clients, perRequest(recorded), times.path, times.floor)
}

async function memoryOf(api: string): Promise<number> {
  const metrics = await (await fetch(`${api}/metrics`)).text()
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 1e6)
}

async function bench(dir: string): Promise<boolean> {
  const stack = await startStack({ dir, progress: say, parts: [...everyPart, 'models'] })
  const profile: Record<string, string> = options.profile
    ? { NODE_OPTIONS: `${apiHeap} --cpu-prof --cpu-prof-dir=${path.resolve(options.profile)}` }
    : {}
  const [api, worker] = await Promise.all([stack.startApi(profile), startBenchWorker(stack)])
  const at = {
    api: api.url,
    stripe: stack.urls.stripe_control ?? '',
    models: stack.urls.models ?? '',
    social: stack.urls.social ?? '',
    stripe_secret: String(stack.env.STRIPE_WEBHOOK_SECRET?.split(',')[0]),
  }
  const db = new pg.Pool({ connectionString: stack.env.DATABASE_URL, max: 2 })
  db.on('error', () => {}) // a stack that is stopped early closes its connections
  const seeded = await seed({
    ...stack.env,
    dir,
    api: api.url,
    mail: stack.urls.mail ?? '',
    stripe: at.stripe,
    models: '',
  })
  const shop = await openShop(seeded, { ...at, db })
  const [load, recorder] = [startLoad(), await startRecorder(stack)]
  let ofFloor: Promise<{ stop(): void }> | undefined
  const floorWorker = async () => {
    ofFloor ??= startFloorWorker(String(stack.env.TEMPORAL_ADDRESS))
    await ofFloor
  }
  const results: Result[] = []
  for (const one of measures.filter(isChosen)) {
    for (const result of [await one.measure(stack, shop, worker)].flat()) {
      say(`${result.name}: ${result.per_s}/s`)
      results.push(result)
    }
  }
  for (const one of chosen)
    for (const clients of clientCounts) {
      const result = await measure(one, clients, { stack, shop, load, recorder, floorWorker })
      say(`${one.name}, ${clients} at a time: ${result.per_s}/s`)
      results.push(result)
    }
  const memory_mb = await memoryOf(api.url)
  if (options.json) console.log(JSON.stringify({ results, memory_mb }))
  else if (options.markdown) console.log(numbers(measured, results, memory_mb))
  else console.log(`\n${table(measured, results, memory_mb)}`)
  load.stop()
  ;(await ofFloor)?.stop()
  await recorder.stop()
  await db.end()
  await stack.stop()
  return true
}

await alone('bench', bench)
