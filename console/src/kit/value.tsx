// Shows a value as its schema says: a time in the zone of the store, an amount in its currency, the name of another
// record.
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext } from 'react'
import { useHere } from './access.tsx'
import { ask } from './api.ts'
import { labelOf, nameIn } from './document/columns.ts'
import { describe, fieldName, plainText, type Schema, type Value, wordsOf } from './document/schema.ts'
import { pageOf } from './document/scope.ts'
import { addressOf, type Item, type Place, placeNamed, sourceAround, type Tree } from './document/tree.ts'
import { bytesText, numberText, shareText, shortId } from './format.ts'
import { useLabel } from './labels.ts'
import { useAround } from './read.ts'
import { Id, Json } from './ui/copy.tsx'
import { Figure, Money, Status, Time } from './ui/ui.tsx'
import { shownTexts } from './units.ts'
import classes from './value.module.css'

/** The document, and where the record is that is shown. */
export type Frame = { tree: Tree; place: Place }
const FrameContext = createContext<Frame | undefined>(undefined)
export const FrameProvider = ({ frame, children }: { frame: Frame; children: ReactNode }) => (
  <FrameContext value={frame}>{children}</FrameContext>
)
export function useFrame(): Frame {
  const frame = useContext(FrameContext)
  if (!frame) throw new Error('useFrame outside of a frame')
  return frame
}

const isObject = (value: unknown): value is Item => value !== null && typeof value === 'object' && !Array.isArray(value)
const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** From the key of a market to its currency. */
export function useMarkets(): ReadonlyMap<string, string> {
  const { tenant } = useHere()
  const { tree } = useFrame()
  const operation = tenant && tree.nodes.get(`/v1/${tenant.surface}/{}/markets`)?.get
  const { data } = useQuery({
    queryKey: ['markets', tenant?.id],
    queryFn: async () => {
      const page = (await ask(operation as NonNullable<typeof operation>, {
        values: [tenant?.id ?? ''],
        query: { limit: '100' },
      })) as {
        items: { key: string; currency: string }[]
      }
      return new Map(page.items.map(({ key, currency }) => [key, currency]))
    },
    enabled: operation !== undefined,
    staleTime: 300_000,
  })
  return data ?? new Map()
}

/** The currency that amounts in a record have: its own, that of its totals or of its market, or the one around it. */
export function currencyIn(item: unknown, markets: ReadonlyMap<string, string>, around?: string): string | undefined {
  if (!isObject(item)) return around
  const { currency, money, payment, market, market_key: marketKey } = item
  const inside = [money, payment].find(isObject)?.currency
  const ofMarket = markets.get(asText(market) ?? asText(marketKey) ?? asText(item.marketKey) ?? '')
  return asText(currency) ?? asText(inside) ?? ofMarket ?? around
}

/** If all markets have one currency, an amount without one can have no other. */
export function soleCurrency(markets: ReadonlyMap<string, string>): string | undefined {
  const currencies = new Set(markets.values())
  return currencies.size === 1 ? [...currencies][0] : undefined
}

type ReferenceProps = { name: string; id: string; item: Item; isOne: boolean; isPlain: boolean }

function Reference({ name, id, item, isOne, isPlain }: ReferenceProps) {
  const { tree, place: at } = useFrame()
  const found = /^id$/i.test(name) ? undefined : placeNamed(tree, name, id, item, at)
  // A record that names itself.
  const isHere = found?.node === at.node && found.values.join() === at.values.join()
  const place = isHere ? undefined : found
  const label = useLabel(place, isOne)
  const source = place || /^id$/i.test(name) ? undefined : sourceAround(tree, name, at)
  const around = useAround(tree, at, source?.within !== undefined)?.[source?.within ?? '']
  const inner = Array.isArray(around) ? (around as Item[]).find((one) => one.id === id) : undefined
  const text = label ?? (inner && labelOf(inner))
  if (isPlain || inner)
    return (
      <span title={id} dir="auto">
        {text ?? shortId(id)}
      </span>
    )
  if (!place) return <Id id={id} whole={isOne} />
  return (
    <Anchor
      component={Link}
      to={pageOf(addressOf(place.node, place.values))}
      className={classes.reference}
      title={id}
      dir="auto"
    >
      {text ?? shortId(id)}
    </Anchor>
  )
}

const Nothing = () => <span className={classes.nothing}>–</span>
const none = <span className={classes.nothing}>None</span>

function TextValue({ name, text, isInline }: { name: string; text: string; isInline: boolean }) {
  if (text === '__redacted__') return <span className={classes.nothing}>hidden</span>
  const isAddress = /^https?:\/\//.test(text) && /url|uri|link|href|permalink/i.test(name)
  if (isAddress && !isInline)
    return (
      <Anchor href={text} target="_blank" rel="noreferrer noopener" className={classes.text} dir="ltr">
        {text}
      </Anchor>
    )
  return (
    <span className={isInline ? classes.inline : classes.text} data-address={isAddress || undefined} dir="auto">
      {text}
    </span>
  )
}

const scalar = (one: unknown): one is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof one)

/** What a list or an object holds, in a line. */
function summaryOf(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ''
    if (value.every(scalar)) return value.map((one) => (typeof one === 'string' ? one : String(one))).join(', ')
    const names = value.filter(isObject).flatMap((one) => nameIn(one) ?? [])
    return names.length === value.length && value.length <= 3 ? names.join(', ') : String(value.length)
  }
  if (!isObject(value)) return String(value)
  const name = nameIn(value)
  if (name) return name
  return Object.entries(value)
    .filter(([, one]) => scalar(one))
    .slice(0, 3)
    .map(([key, one]) => `${key}: ${one}`)
    .join(', ')
}

/** `isPlain`: without a link of its own, as it is in one. */
type Shown = {
  name: string
  schema: Schema
  value: unknown
  item: Item
  currency: string | undefined
  isPlain?: boolean
}

const isState = /(status|state|outcome)$/i

function scalarOf(
  { shape }: Value,
  { name, value, item, currency, isPlain = false }: Shown,
  isInline: boolean,
): ReactNode {
  if (shape.kind === 'time' && typeof value === 'number') return <Time at={value} />
  if (shape.kind === 'money' && typeof value === 'number') return <Money amount={value} currency={currency} />
  if (shape.kind === 'share' && typeof value === 'number') return <Figure>{shareText(value)}</Figure>
  if (shape.kind === 'bytes' && typeof value === 'number') return <Figure>{bytesText(value)}</Figure>
  if (shape.kind === 'id' && typeof value === 'string')
    return <Reference name={name} id={value} item={item} isOne={!isInline} isPlain={isPlain} />
  if (shape.kind === 'choice' && scalar(value))
    return isState.test(name) ? <Status value={String(value)} /> : <span>{wordsOf(String(value))}</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return <Figure>{value < 10_000 ? String(value) : numberText(value)}</Figure>
  return <TextValue name={name} text={String(value)} isInline={isInline} />
}

/** One line, for a table. */
export function InlineValue(shown: Shown) {
  const { tree } = useFrame()
  const { name, schema, value } = shown
  if (value === null || value === undefined || value === '') return <Nothing />
  const described = describe(name, schema, tree.schemas)
  if (typeof value !== 'object') return scalarOf(described, shown, true)
  const { shape } = described
  if (shape.kind === 'list' && Array.isArray(value) && value.length > 0 && value.length <= 2) {
    const item = describe(name, shape.item, tree.schemas)
    if (['id', 'choice'].includes(item.shape.kind))
      return (
        <span className={classes.several}>
          {value.map((one) => (
            <InlineValue key={String(one)} {...shown} schema={shape.item} value={one} />
          ))}
        </span>
      )
  }
  const summary = summaryOf(value)
  return summary ? <TextValue name={name} text={summary} isInline /> : <Nothing />
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** A picture is recognised sooner than its name. */
export function pictureOf({ url, mime_type: type, mimeType }: Item): string | undefined {
  return typeof url === 'string' && String(type ?? mimeType).startsWith('image/') ? url : undefined
}

type FieldsProps = { schema: Schema; value: Item; currency: string | undefined; level?: number }

/** The fields of an object, each with its name; those without a value in one line. */
export function Fields({ schema, value, currency: around, level = 0 }: FieldsProps) {
  const { tree } = useFrame()
  const markets = useMarkets()
  const described = describe('', schema, tree.schemas)
  const known = described.shape.kind === 'object' ? described.shape.properties : {}
  const currency = currencyIn(value, markets, around)
  const all = [
    ...Object.keys(known).filter((name) => name in value),
    ...Object.keys(value).filter((name) => !(name in known)),
  ]
  // What became of it comes first: below a long text it would be missed.
  const kindOf = (name: string) => describe(name, known[name] ?? {}, tree.schemas).shape.kind
  const isFirst = (name: string) => Number(isState.test(name) && kindOf(name) === 'choice')
  const names = all.filter((name) => !isEmpty(value[name])).sort((a, b) => isFirst(b) - isFirst(a))
  const nameOf = (name: string) => fieldName(name, describe(name, known[name] ?? {}, tree.schemas))
  const empty = all.filter((name) => isEmpty(value[name])).map(nameOf)
  return (
    <dl className={classes.fields} data-level={level}>
      {pictureOf(value) && (
        <div className={classes.field}>
          <dt>Picture</dt>
          <dd>
            <img className={classes.picture} src={pictureOf(value)} alt={labelOf(value)} />
          </dd>
        </div>
      )}
      {names.map((name) => {
        const field = known[name] ?? {}
        const of = describe(name, field, tree.schemas)
        const held = value[name]
        const isWide = typeof held === 'object' && !(Array.isArray(held) && held.every(scalar))
        return (
          <div key={name} className={classes.field} data-wide={isWide || undefined}>
            <dt title={plainText(shownTexts(of.shape, currency).about(of.description)) || undefined}>
              {fieldName(name, of)}
            </dt>
            <dd>
              <BlockValue
                name={name}
                schema={field}
                value={value[name]}
                item={value}
                currency={currency}
                level={level}
              />
            </dd>
          </div>
        )
      })}
      {empty.length > 0 && (
        <div className={classes.field}>
          <dt>Empty</dt>
          <dd className={classes.nothing}>{empty.join(', ')}</dd>
        </div>
      )}
    </dl>
  )
}

/** The schema of the alternative that a value is of. */
function chosen(value: Item, { shape, schema }: Value): Schema {
  if (shape.kind !== 'union') return schema
  const constant = shape.by === undefined ? undefined : String(value[shape.by])
  return shape.options.find((option) => option.constant !== undefined && option.constant === constant)?.schema ?? {}
}

/** `around`: the object that has the list. */
type ListProps = Pick<Shown, 'name' | 'currency'> & {
  item: Schema
  around: Item
  values: readonly unknown[]
  level: number
}

function ListValue({ name, item, around, values, currency, level }: ListProps) {
  const { tree } = useFrame()
  if (values.every((one) => !isObject(one) && !Array.isArray(one)))
    return (
      <span className={classes.several}>
        {values.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat, and the list is not changed in place
          <BlockValue key={at} name={name} schema={item} value={one} item={around} currency={currency} level={level} />
        ))}
      </span>
    )
  return (
    <ol className={classes.list}>
      {values.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is not changed in place
        <li key={at}>
          {isObject(one) ? (
            <Fields
              schema={chosen(one, describe(name, item, tree.schemas))}
              value={one}
              currency={currency}
              level={level + 1}
            />
          ) : (
            <BlockValue name={name} schema={item} value={one} item={around} currency={currency} level={level + 1} />
          )}
        </li>
      ))}
    </ol>
  )
}

/** As much room as it needs, for the page of a record. */
export function BlockValue({ level = 0, ...shown }: Shown & { level?: number }) {
  const { tree } = useFrame()
  const { name, schema, value, currency } = shown
  if (value === null || value === undefined || value === '') return <Nothing />
  const described = describe(name, schema, tree.schemas)
  if (typeof value !== 'object') return scalarOf(described, shown, false)
  if (Array.isArray(value)) {
    if (value.length === 0) return none
    const item = described.shape.kind === 'list' ? described.shape.item : {}
    return level > 2 ? (
      <Json value={value} label={wordsOf(name)} />
    ) : (
      <ListValue name={name} item={item} around={shown.item} values={value} currency={currency} level={level} />
    )
  }
  const inner = value as Item
  // A picture within a record is seen; its sizes are on its own page.
  if (level > 0 && pictureOf(inner))
    return <img className={classes.picture} src={pictureOf(inner)} alt={labelOf(inner)} />
  if (Object.keys(inner).length === 0) return none
  if (level > 2) return <Json value={value} label={wordsOf(name)} />
  if (described.shape.kind === 'map') {
    const of = described.shape.value
    return (
      <dl className={classes.fields} data-level={level + 1}>
        {Object.entries(inner).map(([key, one]) => (
          <div key={key} className={classes.field} data-wide={(typeof one === 'object' && one !== null) || undefined}>
            <dt dir="auto">{key}</dt>
            <dd>
              <BlockValue name={key} schema={of} value={one} item={inner} currency={currency} level={level + 1} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  if (described.shape.kind === 'free' || described.shape.kind === 'any')
    return <Json value={value} label={wordsOf(name)} />
  return <Fields schema={chosen(inner, described)} value={inner} currency={currency} level={level + 1} />
}

/** A whole answer. */
export const AnswerValue = ({ schema, value }: { schema: Schema; value: unknown }) =>
  isObject(value) ? (
    <Fields schema={schema} value={value} currency={undefined} />
  ) : (
    <BlockValue name="answer" schema={schema} value={value} item={{}} currency={undefined} />
  )
