// What pages show of records: texts and pictures of their blocks, money, times, in the language of index.html.
import type { Block, Price, PublicMarket, PublicProduct } from 'tillwright-client'
import codes from './countries.txt?raw'

export type Described = { key: string; blocks: Block[] }
export type Variant = PublicProduct['variants'][number]

const language = document.documentElement.lang

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
/** `oak-stool` → `Oak stool`: for records without a name. */
export const words = (key: string) => capital(key.replaceAll(/[-_]/g, ' '))

/** What is there in the language of the shop, `de` for `de-AT` too, else in the first one. */
export const inLanguage = <T>(texts: Record<string, T>): T | undefined =>
  texts[language] ?? texts[language.split('-')[0] ?? ''] ?? Object.values(texts)[0]
/** The text of a block, without the marks of Markdown. */
export function textOf({ blocks }: Pick<Described, 'blocks'>, key: string): string | undefined {
  const { type = '', value } = blocks.find((block) => block.key === key) ?? {}
  const text = value !== null && typeof value === 'object' ? inLanguage(value as Record<string, unknown>) : value
  if (text === undefined || text === null || typeof text === 'object') return undefined
  return type.endsWith('markdown') ? String(text).replaceAll(/\*\*|__|^#+ /gm, '') : String(text)
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
  const format = new Intl.NumberFormat(language, { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
/** What the cheapest of several offers costs in the market, and whether others cost more. */
export function priceText(offers: readonly { prices: Price[] }[], { key, currency }: PublicMarket): string {
  const amounts = offers.flatMap(({ prices }) => prices.find(({ market }) => market === key)?.amount ?? [])
  if (amounts.length === 0) return 'Not sold here'
  return `${new Set(amounts).size > 1 ? 'from ' : ''}${moneyOf(Math.min(...amounts), currency)}`
}

/** The options that a variant is: this store writes `{name, value}` into its attributes. */
export function optionOf({ attributes, sku }: Variant): { name: string; value: string } {
  const all = attributes as Partial<{ name: string; value: string }>[]
  const listed = (name: 'name' | 'value') => all.flatMap((one) => one?.[name] ?? []).join(', ')
  return { name: listed('name') || 'Variant', value: listed('value') || (sku ?? 'Standard') }
}
/** `confirmed, paid` */
export function stateOf({ status, paid_at }: { status: string; paid_at: number | null }): string {
  if (paid_at === null && status === 'cancelled') return 'cancelled'
  return `${words(status).toLowerCase()}, ${paid_at === null ? 'not paid yet' : 'paid'}`
}
export const isSoldOut = ({ available }: Variant) => available === 0

export const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options)
const day = { weekday: 'long', day: 'numeric', month: 'long' } as const
const clock = { hour: 'numeric', minute: '2-digit' } as const
export const dayOf = (seconds: number, timeZone: string) => formatOf({ timeZone, ...day }).format(seconds * 1000)
export const dateOf = (seconds: number) => formatOf({ dateStyle: 'medium' }).format(seconds * 1000)
type Span = { from: number; to: number }
/** From and to on the clock of the zone. */
export const timeOf = ({ from, to }: Span, timeZone: string, more?: Intl.DateTimeFormatOptions) =>
  formatOf({ timeZone, ...clock, ...more }).formatRange(from * 1000, to * 1000)
/** With the day and the name of the zone: the visitor may be in another one than the store. */
export const whenOf = (span: Span, timeZone: string) => timeOf(span, timeZone, { ...day, timeZoneName: 'short' })

const regions = new Intl.DisplayNames(language, { type: 'region' })
export const countryOf = (code: string) => (code && regions.of(code)) ?? code
/** ISO 3166-1, and Kosovo: what an address form offers where a market ships everywhere. */
export const countries = codes.trim().split(/\s+/)
