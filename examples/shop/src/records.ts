// What pages show of records: texts and pictures of their blocks, money, times.
import type { Block, Price, PublicMarket, PublicProduct } from 'tillwright-client'

export type Described = { key: string; blocks: Block[] }
export type Variant = PublicProduct['variants'][number]

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** `oak-stool` → `Oak stool`: for records without a name. */
export const words = (key: string) => capital(key.replaceAll(/[-_]/g, ' '))

/** The text of a block: in the language of the browser, else in the first one that it has. */
export function textOf({ blocks }: Pick<Described, 'blocks'>, key: string): string | undefined {
  const value = blocks.find((block) => block.key === key)?.value
  if (value === null || typeof value !== 'object') return value === undefined ? undefined : String(value)
  const texts = value as Record<string, string>
  return texts[navigator.language.split('-')[0] ?? ''] ?? Object.values(texts)[0]
}
export const nameOf = (record: Described) => textOf(record, 'name') ?? textOf(record, 'title') ?? words(record.key)

/** The first picture: its sizes, each with its width. */
export function pictureOf({ blocks }: Described): { src: string; srcSet: string } | undefined {
  const sizes = blocks.find(({ media }) => media?.mime_type.startsWith('image/'))?.media?.resolutions
  const files = [sizes?.thumbnail, sizes?.medium, sizes?.large].flatMap((file) => file ?? [])
  const src = (sizes?.medium ?? files[0])?.url
  return src === undefined ? undefined : { src, srcSet: files.map(({ url, width }) => `${url} ${width}w`).join(', ') }
}

export function moneyOf(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
/** What the cheapest of several offers costs in the market, and whether others cost more. */
export function priceText(offers: readonly { prices: Price[] }[], { key, currency }: PublicMarket): string {
  const amounts = offers.flatMap(({ prices }) => prices.find(({ market }) => market === key)?.amount ?? [])
  if (amounts.length === 0) return 'Not sold here'
  return `${new Set(amounts).size > 1 ? 'from ' : ''}${moneyOf(Math.min(...amounts), currency)}`
}

/** The option that a variant is: this store writes `{name, value}` into its attributes. */
export function optionOf({ attributes, sku }: Variant): { name: string; value: string } {
  const [first] = attributes as { name?: string; value?: string }[]
  return { name: first?.name ?? 'Variant', value: first?.value ?? sku ?? 'Standard' }
}
/** `confirmed, paid` */
export function stateOf({ status, paid_at }: { status: string; paid_at: number | null }): string {
  if (paid_at === null && status === 'cancelled') return 'cancelled'
  return `${words(status).toLowerCase()}, ${paid_at === null ? 'not paid yet' : 'paid'}`
}
export const isSoldOut = ({ available }: Variant) => available === 0

const format = (seconds: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, options).format(seconds * 1000)
export const dayOf = (seconds: number, timeZone: string) =>
  format(seconds, { timeZone, weekday: 'long', day: 'numeric', month: 'long' })
type Span = { from: number; to: number }
const clock = { hour: 'numeric', minute: '2-digit' } as const
const span = ({ from, to }: Span, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, options).formatRange(from * 1000, to * 1000)
/** From and to on the clock of the zone. */
export const timeOf = (slot: Span, timeZone: string) => span(slot, { timeZone, ...clock })
/** With the day and the name of the zone: the visitor may be in another one than the store. */
export const whenOf = (slot: Span, timeZone: string) =>
  span(slot, { timeZone, weekday: 'long', day: 'numeric', month: 'long', ...clock, timeZoneName: 'short' })
export const dateOf = (seconds: number) => format(seconds, { dateStyle: 'medium' })

/** ISO 3166-1, and Kosovo: what an address form offers where a market ships everywhere. */
const codes =
  'ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCY' +
  'CZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISIT' +
  'JEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNI' +
  'NLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTK' +
  'TLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSXKYEYTZAZMZW'

export const countries = codes.match(/../g) ?? []
